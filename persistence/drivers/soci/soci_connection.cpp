#include "persistence/drivers/soci/soci_connection.hpp"

#include "persistence/drivers/prepared_statements.hpp"
#include "persistence/sql/sql_values.hpp"
#include "persistence/sql/statement_text.hpp"

#include <soci/soci.h>

#include <charconv>
#include <map>
#include <numeric>
#include <utility>

namespace jobstrand::persistence {

namespace {

/// nullopt: there is more than an integer, or less.
std::optional<std::int64_t> integer_in(std::string_view digits) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(digits.begin(), digits.end(), number);
    const bool is_whole = error == std::errc{} && end == digits.end();
    return is_whole ? std::optional(number) : std::nullopt;
}

}  // namespace

/// A bound parameter: SOCI reads the member that was bound, which `type` names.
struct SociStatement::Parameter {
    enum class Type { text, number, real, bytes };

    soci::indicator indicator = soci::i_null;
    Type type = Type::text;
    long long number = 0;
    double real = 0;
    std::string text;
    std::unique_ptr<soci::blob> bytes;

    /// Takes over a value. Returns whether its type has changed, so that it must be bound anew.
    bool assign(const Value& value, soci::session& session, const SociBackend& backend) {
        indicator = soci::i_ok;
        if (const auto* const content = std::get_if<Bytes>(&value)) {
            return take(*content, session, backend);
        }
        return std::visit([this](const auto& content) { return take(content); }, value);
    }

    void bind(soci::statement& statement) {
        switch (type) {
            case Type::text:
                return statement.exchange(soci::use(std::as_const(text), indicator));
            case Type::number:
                return statement.exchange(soci::use(std::as_const(number), indicator));
            case Type::real:
                return statement.exchange(soci::use(std::as_const(real), indicator));
            case Type::bytes:
                return statement.exchange(soci::use(*bytes, indicator));
        }
    }

    void release_large_buffers() {
        release_if_large(text);
        if (type == Type::bytes) {
            bytes->trim(0);
        }
    }

private:
    bool becomes(Type next) { return std::exchange(type, next) != next; }

    bool take(std::nullptr_t) {
        indicator = soci::i_null;
        return false;
    }
    bool take(bool content) { return take(std::int64_t{content}); }
    bool take(std::int64_t content) {
        number = content;
        return becomes(Type::number);
    }
    bool take(double content) {
        real = content;
        return becomes(Type::real);
    }
    bool take(std::string_view content) {
        text.assign(content);
        return becomes(Type::text);
    }
    bool take(schema::TimePoint content) { return take(SqlTime(content).text()); }
    bool take(Bytes) { return false; }  // Not called: see assign().
    bool take(Bytes content, soci::session& session, const SociBackend& backend) {
        if (const std::optional<std::string> as_text = backend.text_of_bytes(content)) {
            return take(std::string_view(*as_text));
        }
        // A new one each time: SOCI has a blob forget nothing of what it held before.
        bytes = std::make_unique<soci::blob>(session);
        bytes->write(0, reinterpret_cast<const char*>(content.data()), content.size());
        type = Type::bytes;
        return true;
    }
};

/// The one column that SOCI fetches, in vain.
struct SociStatement::Column {
    soci::indicator indicator = soci::i_null;
    std::string text;
    long long number = 0;
};

class SociStatement::FetchedRow final : public Row {
public:
    FetchedRow(const SociBackend& backend, soci::statement& statement, std::size_t columns)
        : backend_(backend),
          statement_(*statement.get_backend()),
          columns_(columns),
          has_native_integers_(backend.has_native_integers()) {}

    [[nodiscard]] bool is_null(std::size_t column) const override {
        require_column(column, columns_);
        return backend_.is_null(statement_, column);
    }
    [[nodiscard]] bool is_bytes(std::size_t column) const override {
        require_column(column, columns_);
        return backend_.is_bytes(statement_, column);
    }
    [[nodiscard]] std::string_view text(std::size_t column) const override {
        return cell(column).value_or(std::string_view{});
    }
    [[nodiscard]] std::int64_t integer(std::size_t column) const override;
    [[nodiscard]] double real(std::size_t column) const override {
        require_column(column, columns_);
        return backend_.real(statement_, column);
    }
    [[nodiscard]] bool boolean(std::size_t column) const override;
    [[nodiscard]] Bytes blob(std::size_t column) const override {
        return backend_.bytes_of(text(column), buffers_[column]);
    }
    [[nodiscard]] std::optional<schema::TimePoint> time(std::size_t column) const override;

private:
    [[nodiscard]] std::optional<std::string_view> cell(std::size_t column) const {
        require_column(column, columns_);
        return backend_.cell(statement_, column);
    }
    [[nodiscard]] std::optional<std::int64_t> native_integer(std::size_t column) const {
        require_column(column, columns_);
        return has_native_integers_ ? backend_.native_integer(statement_, column) : std::nullopt;
    }

    const SociBackend& backend_;
    soci::details::statement_backend& statement_;
    const std::size_t columns_;
    const bool has_native_integers_;
    mutable std::map<std::size_t, std::string> buffers_;  ///< Of columns that were read as bytes.
};

std::int64_t SociStatement::FetchedRow::integer(std::size_t column) const {
    if (const auto number = native_integer(column)) {
        return *number;
    }
    const auto digits = cell(column);
    if (!digits) {
        return 0;
    }
    const auto number = integer_in(*digits);
    if (!number) {
        throw unreadable_value(*digits, "an integer");
    }
    return *number;
}

bool SociStatement::FetchedRow::boolean(std::size_t column) const {
    if (const auto number = native_integer(column)) {
        return *number != 0;
    }
    const auto value = cell(column);
    if (!value || *value == "f" || *value == "false") {
        return false;
    }
    if (*value == "t" || *value == "true") {
        return true;
    }
    const auto number = integer_in(*value);
    if (!number) {
        throw unreadable_value(*value, "a truth value");
    }
    return *number != 0;
}

std::optional<schema::TimePoint> SociStatement::FetchedRow::time(std::size_t column) const {
    const auto text = cell(column);
    return text ? std::optional(require_sql_time(*text)) : std::nullopt;
}

SociStatement::SociStatement(
    soci::session& session,
    const SociBackend& backend,
    NativeStatement statement
)
    : session_(session),
      backend_(backend),
      statement_(std::make_unique<soci::statement>(session)),
      sizes_(std::move(statement.sizes)),
      parameters_(sizes_.size()),
      first_column_(std::make_unique<Column>()) {
    statement_->alloc();
    statement_->prepare(statement.sql);
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
    bool found = statement_->execute(true);
    const FetchedRow row(
        backend_, *statement_, columns == 0 ? backend_.columns(*statement_->get_backend()) : columns
    );
    for (; found; found = statement_->fetch()) {
        read(row);
    }
    release_large_buffers();
}

void SociStatement::fill(std::span<const Value> parameters) {
    require_parameters(
        std::accumulate(sizes_.begin(), sizes_.end(), std::size_t{0}), parameters.size()
    );
    for (const Value& parameter : parameters) {
        if (const auto* const text = std::get_if<std::string_view>(&parameter)) {
            backend_.require_storable(*text);
        }
    }
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
        const std::span<const Value> values = parameters.first(sizes_[i]);
        parameters = parameters.subspan(sizes_[i]);
        const bool is_bound =
            values.size() == 1
                ? !parameters_[i].assign(values.front(), session_, backend_)
                : !parameters_[i].assign(backend_.text_of_list(values), session_, backend_);
        bound_ = bound_ && is_bound;
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
        Column& column = *first_column_;
        if (backend_.has_native_integers()) {
            statement_->exchange(soci::into(column.number, column.indicator));
        } else {
            statement_->exchange(soci::into(column.text, column.indicator));
        }
    }
    for (Parameter& parameter : parameters_) {
        parameter.bind(*statement_);
    }
    statement_->define_and_bind();
    bound_ = true;
    returns_rows_ = returns_rows;
}

void SociStatement::release_large_buffers() {
    for (Parameter& parameter : parameters_) {
        parameter.release_large_buffers();
    }
    release_if_large(first_column_->text);
}

namespace {

/// More distinct texts than the store has; the bound is for apps that write their values into SQL.
constexpr std::size_t kPreparedStatements = 256;

}  // namespace

SociConnection::SociConnection(std::unique_ptr<soci::session> session, const SociBackend& backend)
    : backend_(backend),
      session_(std::move(session)),
      statements_(
          kPreparedStatements,
          {.prepare = [this](std::string_view sql
                      ) { return std::make_unique<SociStatement>(*session_, backend_, sql); },
           .error_of =
               [this](const soci::soci_error& error, std::string_view attempted, bool was_known) {
                   return noted(backend_.error_of(*session_, error, attempted, was_known));
               },
           .discard = [this](std::unique_ptr<SociStatement> statement
                      ) { discard(std::move(statement)); }}
      ) {}

SociConnection::~SociConnection() = default;

DbError SociConnection::noted(const DbError& error) noexcept {
    usable_ = usable_ && !error.poisons_connection();
    return error;
}

template <typename Call>
void SociConnection::run(Call call) {
    // Defended catch: an error that poisons the connection has to be remembered by it.
    try {
        call();
    } catch (const DbError& error) {
        noted(error);
        throw;
    }
}

void SociConnection::discard(std::unique_ptr<SociStatement> statement) {
    discarded_.push_back(std::move(statement));
    if (!backend_.takes_only_rollback(*session_)) {
        discarded_.clear();
    }
}

std::int64_t SociConnection::execute(std::string_view sql, std::span<const Value> parameters) {
    return statements_.execute(sql, parameters);
}

bool SociConnection::copy_in(const NewRows& rows) {
    bool is_done = false;
    run([&] { is_done = backend_.copy_in(*session_, rows); });
    return is_done;
}

void SociConnection::query(Query query, std::span<const Value> parameters, const RowReader& read) {
    statements_.query(query, parameters, read);
}

void SociConnection::run_script(std::string_view sql) {
    run([&] { backend_.run_script(*session_, sql); });
}

void SociConnection::begin() {
    run([&] { backend_.run_script(*session_, backend_.begin_statement()); });
}

void SociConnection::commit() {
    run([&] { backend_.commit(*session_); });
}

void SociConnection::rollback() noexcept {
    // Defended catch: whoever rolls back is already dealing with an error. After some errors the
    // database has rolled back by itself, and then nothing is wrong with the connection.
    try {
        backend_.run_script(*session_, "ROLLBACK");
    } catch (const std::exception&) {
        usable_ = usable_ && !backend_.in_transaction(*session_);
    }
    discarded_.clear();
}

}  // namespace jobstrand::persistence
