#include "persistence/soci_statement.hpp"

#include "persistence/db_error.hpp"
#include "persistence/sql_time.hpp"

#include <fmt/format.h>
#include <soci/soci.h>

#include <charconv>
#include <stdexcept>
#include <utility>

namespace jobstrand::persistence {

namespace {

/// A buffer that has grown beyond this (a long payload, a stack trace) is given back after the run.
constexpr std::size_t kKeptBufferBytes = 16 * 1024;

void release_if_large(std::string& buffer) {
    if (buffer.capacity() > kKeptBufferBytes) {
        std::string().swap(buffer);
    }
}

}  // namespace

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

/// A bound column of the current row.
struct SociStatement::Column {
    soci::indicator indicator = soci::i_null;
    std::string text;
};

class SociStatement::FetchedRow final : public Row {
public:
    explicit FetchedRow(const std::vector<Column>& columns) : columns_(columns) {}

    [[nodiscard]] bool is_null(std::size_t column) const override {
        return columns_.at(column).indicator == soci::i_null;
    }
    [[nodiscard]] std::string_view text(std::size_t column) const override {
        return is_null(column) ? std::string_view{} : columns_[column].text;
    }
    [[nodiscard]] std::int64_t integer(std::size_t column) const override;
    [[nodiscard]] bool boolean(std::size_t column) const override;
    [[nodiscard]] std::optional<schema::TimePoint> time(std::size_t column) const override;

private:
    const std::vector<Column>& columns_;
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
    if (is_null(column)) {
        return std::nullopt;
    }
    const auto time = parse_sql_time(text(column));
    if (!time) {
        throw DbError(DbErrorKind::other, fmt::format("\"{}\" is not a time", text(column)));
    }
    return time;
}

SociStatement::SociStatement(
    soci::session& session,
    const std::string& native_sql,
    std::size_t parameters
)
    : statement_(std::make_unique<soci::statement>(session)), parameters_(parameters) {
    statement_->alloc();
    statement_->prepare(native_sql);
}

SociStatement::~SociStatement() = default;

std::int64_t SociStatement::execute(std::span<const Value> parameters) {
    fill(parameters);
    bind(0);
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
    bind(columns);
    // Row by row into the same strings: SOCI's vector binds copy each text twice and print each
    // number through a stream, which took two thirds more time.
    const FetchedRow row(columns_);
    for (bool found = statement_->execute(true); found; found = statement_->fetch()) {
        read(row);
    }
    release_large_buffers();
}

void SociStatement::fill(std::span<const Value> parameters) {
    if (parameters.size() != parameters_.size()) {
        throw std::logic_error(fmt::format(
            "a statement with {} placeholders got {} parameters",
            parameters_.size(),
            parameters.size()
        ));
    }
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        if (parameters_[i].assign(parameters[i])) {
            bound_ = false;
        }
    }
}

void SociStatement::bind(std::size_t columns) {
    if (bound_ && columns == columns_.size()) {
        return;
    }
    statement_->bind_clean_up();
    columns_.resize(columns);
    for (Column& column : columns_) {
        statement_->exchange(soci::into(column.text, column.indicator));
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
}

void SociStatement::release_large_buffers() {
    for (Parameter& parameter : parameters_) {
        release_if_large(parameter.text);
    }
    for (Column& column : columns_) {
        release_if_large(column.text);
    }
}

}  // namespace jobstrand::persistence
