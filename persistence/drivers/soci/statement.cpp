#include "persistence/drivers/soci/statement.hpp"

#include "persistence/drivers/large_buffer.hpp"
#include "persistence/sql/db_error.hpp"
#include "persistence/sql/placeholders.hpp"
#include "persistence/sql/sql_time.hpp"
#include "schema/ensure.hpp"

#include <fmt/format.h>
#include <soci/soci.h>

#include <charconv>
#include <utility>

namespace jobstrand::persistence {

/// A bound parameter: SOCI reads `number` or `text`, whichever was bound.
struct SociStatement::Parameter {
    soci::indicator indicator = soci::i_null;
    bool is_number = false;
    long long number = 0;
    std::string text;

    /// Takes over a value. Returns whether its type has changed, so that it must be bound anew.
    bool assign(const Value& value) {
        indicator = soci::i_ok;
        return std::visit([this](const auto& content) { return take(content); }, value);
    }

    bool take(std::monostate) {
        indicator = soci::i_null;
        return false;
    }
    bool take(bool content) { return take(std::int64_t{content}); }
    bool take(std::int64_t content) {
        number = content;
        return !std::exchange(is_number, true);
    }
    bool take(std::string_view content) {
        text.assign(content);
        return std::exchange(is_number, false);
    }
    bool take(schema::TimePoint content) { return take(SqlTime(content).text()); }
};

/// The one column that SOCI fetches into.
struct SociStatement::Column {
    soci::indicator indicator = soci::i_null;
    std::string text;
};

class SociStatement::FetchedRow final : public Row {
public:
    FetchedRow(const SociBackend& backend, soci::statement& statement, std::size_t columns)
        : backend_(backend), statement_(*statement.get_backend()), columns_(columns) {}

    [[nodiscard]] bool is_null(std::size_t column) const override { return !cell(column); }
    [[nodiscard]] std::string_view text(std::size_t column) const override {
        return cell(column).value_or(std::string_view{});
    }
    [[nodiscard]] std::int64_t integer(std::size_t column) const override;
    [[nodiscard]] bool boolean(std::size_t column) const override;
    [[nodiscard]] std::optional<schema::TimePoint> time(std::size_t column) const override;

private:
    [[nodiscard]] std::optional<std::string_view> cell(std::size_t column) const {
        JOBSTRAND_ENSURE(column < columns_);
        return backend_.cell(statement_, column);
    }

    const SociBackend& backend_;
    soci::details::statement_backend& statement_;
    const std::size_t columns_;
};

std::int64_t SociStatement::FetchedRow::integer(std::size_t column) const {
    const std::string_view digits = text(column);
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(digits.begin(), digits.end(), number);
    if (!digits.empty() && (error != std::errc{} || end != digits.end())) {
        throw DbError(DbErrorKind::other, fmt::format("\"{}\" is not an integer", digits));
    }
    return number;
}

bool SociStatement::FetchedRow::boolean(std::size_t column) const {
    const std::string_view value = text(column);
    return !value.empty() && value.front() != '0' && value.front() != 'f';
}

std::optional<schema::TimePoint> SociStatement::FetchedRow::time(std::size_t column) const {
    const auto text = cell(column);
    return text ? std::optional(require_sql_time(*text)) : std::nullopt;
}

SociStatement::SociStatement(
    soci::session& session,
    const SociBackend& backend,
    std::string_view sql
)
    : backend_(backend),
      statement_(std::make_unique<soci::statement>(session)),
      parameters_(count_placeholders(sql)),
      first_column_(std::make_unique<Column>()) {
    statement_->alloc();
    statement_->prepare(backend.native_sql(sql));
}

SociStatement::~SociStatement() = default;

std::int64_t SociStatement::execute(std::span<const Value> parameters) {
    fill(parameters);
    bind(false);
    statement_->execute(true);
    const std::int64_t affected = statement_->get_affected_rows();
    release_large_buffers();
    return affected;
}

void SociStatement::query(
    std::size_t columns,
    std::span<const Value> parameters,
    const RowReader& read
) {
    fill(parameters);
    bind(true);
    const FetchedRow row(backend_, *statement_, columns);
    for (bool found = statement_->execute(true); found; found = statement_->fetch()) {
        read(row);
    }
    release_large_buffers();
}

void SociStatement::fill(std::span<const Value> parameters) {
    require_parameters(parameters_.size(), parameters.size());
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        if (const auto* const text = std::get_if<std::string_view>(&parameters[i])) {
            backend_.require_storable(*text);
        }
        if (parameters_[i].assign(parameters[i])) {
            bound_ = false;
        }
    }
}

// SOCI fetches only into bound columns, so the first one is; the cells of a row are read from the
// backend instead, because SOCI would copy each of them.
void SociStatement::bind(bool returns_rows) {
    if (bound_ && returns_rows == returns_rows_) {
        return;
    }
    statement_->bind_clean_up();
    if (returns_rows) {
        statement_->exchange(soci::into(first_column_->text, first_column_->indicator));
    }
    for (Parameter& parameter : parameters_) {
        if (parameter.is_number) {
            statement_->exchange(soci::use(std::as_const(parameter.number), parameter.indicator));
        } else {
            statement_->exchange(soci::use(std::as_const(parameter.text), parameter.indicator));
        }
    }
    statement_->define_and_bind();
    bound_ = true;
    returns_rows_ = returns_rows;
}

void SociStatement::release_large_buffers() {
    for (Parameter& parameter : parameters_) {
        release_if_large(parameter.text);
    }
    release_if_large(first_column_->text);
}

}  // namespace jobstrand::persistence
