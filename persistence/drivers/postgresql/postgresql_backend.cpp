#include "persistence/drivers/postgresql/postgresql_backend.hpp"

#include "persistence/drivers/postgresql/connect.hpp"
#include "persistence/drivers/postgresql/postgresql_errors.hpp"
#include "persistence/sql/many_rows.hpp"
#include "persistence/sql/sql_values.hpp"
#include "persistence/sql/statement_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <libpq-fe.h>
#include <soci/postgresql/soci-postgresql.h>
#include <soci/soci.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

namespace jobstrand::persistence {

namespace {

constexpr std::size_t kLeastRows = 16;

constexpr std::string_view kIn = "IN (";
constexpr std::string_view kFurther = ", ?";
constexpr std::string_view kNot = "NOT ";

/// Characters before which a backslash stands; a table, because each character of each text is
/// looked up.
class Special {
public:
    consteval explicit Special(std::string_view characters) {
        for (const char character : characters) {
            has_[static_cast<unsigned char>(character)] = true;
        }
    }

    [[nodiscard]] bool has(char character) const {
        return has_[static_cast<unsigned char>(character)];
    }

private:
    std::array<bool, 256> has_{};
};

constexpr Special kSpecialInArray("\"\\");
constexpr Special kSpecialInRow("\\\t\n\r");

/// As the server reads it, without any quotes.
struct AppendText {
    std::string& to;

    void operator()(std::nullptr_t) const {}
    void operator()(bool value) const { to += value ? '1' : '0'; }
    void operator()(std::int64_t value) const {
        fmt::format_to(std::back_inserter(to), "{}", value);
    }
    void operator()(double value) const { fmt::format_to(std::back_inserter(to), "{}", value); }
    void operator()(std::string_view value) const { to += value; }
    void operator()(Bytes value) const { to += hex_text_of(value); }
    void operator()(schema::TimePoint value) const { to += SqlTime(value).text(); }
};

/// The same with a backslash before each of `special`.
void append_escaped(std::string& to, const Value& value, const Special& special) {
    std::string made;
    std::string_view text;
    if (const auto* const stored = std::get_if<std::string_view>(&value)) {
        text = *stored;
    } else {
        std::visit(AppendText{made}, value);
        text = made;
    }
    std::size_t begin = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (special.has(text[at])) {
            to.append(text, begin, at - begin).push_back('\\');
            begin = at;
        }
    }
    to.append(text, begin);
}

/// The placeholders of the list that begins there; 0: none that becomes an array.
std::size_t list_at(std::string_view sql, std::size_t at) {
    std::string_view rest = sql.substr(at);
    for (const std::string_view begin : {kIn, kLongList, std::string_view("?")}) {
        if (!rest.starts_with(begin)) {
            return 0;
        }
        rest.remove_prefix(begin.size());
    }
    std::size_t size = 1;
    for (; rest.starts_with(kFurther); rest.remove_prefix(kFurther.size())) {
        ++size;
    }
    return sql.substr(0, at).ends_with(kNot) ? 0 : size;
}

}  // namespace

NativeStatement name_parameters(std::string_view sql) {
    NativeStatement named;
    named.sql.reserve(sql.size());
    const auto add = [&named](std::size_t placeholders) {
        named.sizes.push_back(placeholders);
        named.sql += fmt::format(":{}", named.sizes.size());
    };
    for (std::size_t i = 0; i < sql.size();) {
        const std::size_t behind = skip_quoted(sql, i);
        const std::size_t list = behind == i ? list_at(sql, i) : 0;
        if (behind != i) {
            named.sql += sql.substr(i, behind - i);
            i = behind;
        } else if (list > 0) {
            named.sql += "= ANY (";
            add(list);
            i += kIn.size() + kLongList.size() + 1 + (list - 1) * kFurther.size();
        } else if (sql[i] == '?') {
            add(1);
            ++i;
        } else {
            named.sql += sql[i++];
        }
    }
    return named;
}

std::string array_of(std::span<const Value> values) {
    std::string array;
    for (const Value& value : values) {
        array += array.empty() ? '{' : ',';
        if (std::holds_alternative<std::nullptr_t>(value)) {
            array += "NULL";
            continue;
        }
        array += '"';
        append_escaped(array, value, kSpecialInArray);
        array += '"';
    }
    array += '}';
    return array;
}

bool are_worth_a_copy(const NewRows& rows) {
    return rows.size() >= kLeastRows;
}

std::string copy_statement(const NewRows& rows, std::span<const std::size_t> columns) {
    std::vector<std::string_view> names;
    for (const std::size_t column : columns) {
        names.push_back(rows.columns[column]);
    }
    return fmt::format("COPY {} ({}) FROM STDIN", rows.table, fmt::join(names, ", "));
}

// A backslash stands before what would end a value or a row, and before itself.
void append_copied_row(
    std::string& text,
    const NewRows& rows,
    std::size_t row,
    std::span<const std::size_t> columns
) {
    for (const std::size_t column : columns) {
        const Value& value = rows.values[row * rows.columns.size() + column];
        const auto* const bytes = std::get_if<std::string_view>(&value);
        if (std::holds_alternative<std::nullptr_t>(value)) {
            text += "\\N";
        } else if (bytes != nullptr && rows.columns[column] == kBytesColumn) {
            append_escaped(text, Value{std::as_bytes(std::span(*bytes))}, kSpecialInRow);
        } else {
            append_escaped(text, value, kSpecialInRow);
        }
        text += column == columns.back() ? '\n' : '\t';
    }
}

namespace {

struct ClearResult {
    void operator()(PGresult* result) const { PQclear(result); }
};
using Result = std::unique_ptr<PGresult, ClearResult>;

std::string_view sqlstate_of(const PGresult* result) {
    const char* const state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    return state == nullptr ? std::string_view{} : std::string_view(state);
}

bool is_lost(const PGconn* connection) {
    return PQstatus(connection) == CONNECTION_BAD;
}

bool has_failed(const PGresult* result) {
    const ExecStatusType status = PQresultStatus(result);
    return status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK && status != PGRES_EMPTY_QUERY;
}

/// In parts, each of which stays far below what libpq and the server take for a message.
bool send_rows(PGconn* connection, const NewRows& rows, std::span<const std::size_t> columns) {
    constexpr std::size_t kPart = std::size_t{1} << 20U;
    std::string text;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        append_copied_row(text, rows, row, columns);
        while (text.size() >= kPart || (row + 1 == rows.size() && !text.empty())) {
            const std::size_t size = std::min(text.size(), kPart);
            if (PQputCopyData(connection, text.data(), static_cast<int>(size)) != 1) {
                return false;
            }
            text.erase(0, size);
        }
    }
    return true;
}

DbError native_error(
    DbErrorKind kind,
    const PGconn* connection,
    std::string_view attempted,
    std::string_view sqlstate
) {
    return {kind, postgresql_error_text(attempted, PQerrorMessage(connection), sqlstate)};
}

}  // namespace

NativeStatement PostgresqlBackend::native_statement(std::string_view sql) const {
    return name_parameters(sql);
}

std::string PostgresqlBackend::text_of_list(std::span<const Value> values) const {
    return array_of(values);
}

void PostgresqlBackend::require_storable(std::string_view text) const {
    if (text.find('\0') != std::string_view::npos) {
        throw DbError(
            DbErrorKind::too_long, "a text has a NUL character in it, which PostgreSQL cannot store"
        );
    }
}

void PostgresqlBackend::run_script(soci::session& session, std::string_view sql) const {
    PGconn* const connection = native_handle(session);
    const Result result(PQexec(connection, std::string(sql).c_str()));
    if (has_failed(result.get())) {
        const std::string_view sqlstate = sqlstate_of(result.get());
        const DbErrorKind kind =
            is_lost(connection) ? DbErrorKind::connection_lost : classify_postgresql(sqlstate);
        throw native_error(kind, connection, sql_summary(sql), sqlstate);
    }
}

bool PostgresqlBackend::copy_in(soci::session& session, const NewRows& rows) const {
    if (!are_worth_a_copy(rows)) {
        return false;
    }
    for (const Value& value : rows.values) {
        if (const auto* const text = std::get_if<std::string_view>(&value)) {
            require_storable(*text);
        }
    }
    PGconn* const connection = native_handle(session);
    const std::vector<std::size_t> columns = named_columns(rows, rows.values);
    const std::string statement = copy_statement(rows, columns);
    const auto require = [&](const PGresult* result, bool is_good) {
        if (!is_good) {
            const std::string_view sqlstate = sqlstate_of(result);
            const DbErrorKind kind =
                is_lost(connection) ? DbErrorKind::connection_lost : classify_postgresql(sqlstate);
            throw native_error(kind, connection, sql_summary(statement), sqlstate);
        }
    };
    const Result begun(PQexec(connection, statement.c_str()));
    require(begun.get(), PQresultStatus(begun.get()) == PGRES_COPY_IN);
    const bool is_sent = send_rows(connection, rows, columns);
    // Words make the server refuse what it has got so far.
    (void)PQputCopyEnd(connection, is_sent ? nullptr : "the rows could not be sent");
    const Result result(PQgetResult(connection));
    while (const Result rest{PQgetResult(connection)}) {
    }
    require(
        result.get(),
        is_sent && PQresultStatus(result.get()) == PGRES_COMMAND_OK &&
            PQcmdTuples(result.get()) == std::to_string(rows.size())
    );
    return true;
}

void PostgresqlBackend::commit(soci::session& session) const {
    PGconn* const connection = native_handle(session);
    const Result result(PQexec(connection, "COMMIT"));
    if (has_failed(result.get())) {
        // A server that answers has rolled back; without an answer nobody knows.
        const std::string_view sqlstate = sqlstate_of(result.get());
        const DbErrorKind kind =
            is_lost(connection) ? DbErrorKind::in_doubt : classify_postgresql(sqlstate);
        throw native_error(kind, connection, "COMMIT", sqlstate);
    }
    if (std::string_view(PQcmdStatus(result.get())) == "ROLLBACK") {
        throw DbError(
            DbErrorKind::conflict, "COMMIT: the server rolled back, because a statement had failed"
        );
    }
}

bool PostgresqlBackend::in_transaction(soci::session& session) const noexcept {
    return PQtransactionStatus(native_handle(session)) != PQTRANS_IDLE;
}

bool PostgresqlBackend::takes_only_rollback(soci::session& session) const noexcept {
    return PQtransactionStatus(native_handle(session)) == PQTRANS_INERROR;
}

std::optional<std::string_view>
PostgresqlBackend::cell(soci::details::statement_backend& statement, std::size_t column) const {
    const auto& native = static_cast<soci::postgresql_statement_backend&>(statement);
    const PGresult* const result = native.result_;
    const int row = native.currentRow_;
    const int index = static_cast<int>(column);
    if (PQgetisnull(result, row, index) != 0) {
        return std::nullopt;
    }
    const auto length = static_cast<std::size_t>(PQgetlength(result, row, index));
    return std::string_view(PQgetvalue(result, row, index), length);
}

bool PostgresqlBackend::is_null(soci::details::statement_backend& statement, std::size_t column)
    const {
    const auto& native = static_cast<soci::postgresql_statement_backend&>(statement);
    return PQgetisnull(native.result_, native.currentRow_, static_cast<int>(column)) != 0;
}

double PostgresqlBackend::real(soci::details::statement_backend& statement, std::size_t column)
    const {
    const std::string_view text = cell(statement, column).value_or("0");
    double number = 0;
    const auto [end, error] = std::from_chars(text.begin(), text.end(), number);
    if (error != std::errc{} || end != text.end()) {
        throw DbError(DbErrorKind::other, fmt::format("\"{}\" is not a number", text));
    }
    return number;
}

std::size_t PostgresqlBackend::columns(soci::details::statement_backend& statement) const {
    const auto& native = static_cast<soci::postgresql_statement_backend&>(statement);
    return static_cast<std::size_t>(PQnfields(native.result_));
}

std::optional<std::string> PostgresqlBackend::text_of_bytes(Bytes bytes) const {
    return hex_text_of(bytes);
}

Bytes PostgresqlBackend::bytes_of(std::string_view cell, std::string& buffer) const {
    buffer = bytes_of_hex_text(cell);
    return std::as_bytes(std::span(std::as_const(buffer)));
}

DbError PostgresqlBackend::error_of(
    soci::session& session,
    const soci::soci_error& error,
    std::string_view attempted,
    bool was_known
) const {
    const auto* const native = dynamic_cast<const soci::postgresql_soci_error*>(&error);
    if (native == nullptr) {
        return {
            DbErrorKind::other,
            postgresql_error_text(attempted, error.get_error_message(), std::string_view{})};
    }
    PGconn* const connection = native_handle(session);
    const std::string sqlstate = native->sqlstate();
    const DbErrorKind kind =
        is_lost(connection) ? DbErrorKind::connection_lost : classify_postgresql(sqlstate);
    DbError ours = native_error(kind, connection, attempted, sqlstate);
    // "cached plan must not change result type", in whatever language: it is prepared anew.
    return was_known && is_unsupported(ours) ? DbError(DbErrorKind::conflict, ours.what()) : ours;
}

}  // namespace jobstrand::persistence
