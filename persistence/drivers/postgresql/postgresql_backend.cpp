#include "persistence/drivers/postgresql/postgresql_backend.hpp"

#include "persistence/drivers/postgresql/connect.hpp"
#include "persistence/drivers/postgresql/many_values.hpp"
#include "persistence/drivers/postgresql/postgresql_errors.hpp"
#include "persistence/sql/hex_text.hpp"
#include "persistence/sql/placeholders.hpp"
#include "persistence/sql/sql_summary.hpp"

#include <fmt/format.h>
#include <libpq-fe.h>
#include <soci/postgresql/soci-postgresql.h>
#include <soci/soci.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <span>
#include <string>
#include <system_error>
#include <utility>

namespace jobstrand::persistence {

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
    std::string_view attempted
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
    return native_error(kind, connection, attempted, sqlstate);
}

}  // namespace jobstrand::persistence
