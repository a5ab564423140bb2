#include "persistence/drivers/sqlite/sqlite_backend.hpp"

#include "persistence/sql/statement_text.hpp"

#include <fmt/format.h>
#include <soci/soci.h>
#include <soci/sqlite3/soci-sqlite3.h>
#include <sqlite3.h>

#include <span>

namespace jobstrand::persistence {

namespace {

constexpr int primary_code(int extended_code) {
    return extended_code & 0xff;
}

DbErrorKind classify_constraint(int extended_code) {
    switch (extended_code) {
        case SQLITE_CONSTRAINT_PRIMARYKEY:
        case SQLITE_CONSTRAINT_UNIQUE:
        case SQLITE_CONSTRAINT_ROWID:
            return DbErrorKind::duplicate_key;
        default:
            return DbErrorKind::other;
    }
}

/// A statement beyond one of SQLite's own bounds is SQL that nobody mistook.
DbErrorKind classify_sql_mistake(std::string_view message) {
    for (const std::string_view beyond :
         {"too many SQL variables", "Expression tree is too large"}) {
        if (message.find(beyond) != std::string_view::npos) {
            return DbErrorKind::too_long;
        }
    }
    for (const std::string_view missing :
         {"no such table", "no such column", "has no column named"}) {
        if (message.find(missing) != std::string_view::npos) {
            return DbErrorKind::schema_missing;
        }
    }
    return DbErrorKind::other;
}

}  // namespace

DbErrorKind classify_sqlite(int extended_code, std::string_view message) {
    switch (extended_code) {
        case SQLITE_BUSY_SNAPSHOT:
            return DbErrorKind::conflict;
        case SQLITE_READONLY_DBMOVED:
            return DbErrorKind::connection_lost;
        case SQLITE_IOERR_SHMSIZE:
            // The index of the write-ahead log could not grow: a full disk shows itself like this.
            return DbErrorKind::storage_full;
        default:
            break;
    }
    switch (primary_code(extended_code)) {
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
        case SQLITE_PROTOCOL:
            return DbErrorKind::busy;
        case SQLITE_SCHEMA:
            return DbErrorKind::conflict;
        case SQLITE_CONSTRAINT:
            return classify_constraint(extended_code);
        case SQLITE_TOOBIG:
            return DbErrorKind::too_long;
        case SQLITE_READONLY:
            return DbErrorKind::read_only;
        case SQLITE_FULL:
            return DbErrorKind::storage_full;
        case SQLITE_NOTADB:
            return DbErrorKind::not_a_database;
        case SQLITE_PERM:
        case SQLITE_AUTH:
            return DbErrorKind::access_denied;
        case SQLITE_CANTOPEN:
            return DbErrorKind::unreachable;
        case SQLITE_ERROR:
            return classify_sql_mistake(message);
        default:
            return DbErrorKind::other;
    }
}

DbErrorKind classify_sqlite_commit(int extended_code, std::string_view message) {
    const DbErrorKind kind = classify_sqlite(extended_code, message);
    const bool io_error = primary_code(extended_code) == SQLITE_IOERR;
    return io_error && kind == DbErrorKind::other ? DbErrorKind::in_doubt : kind;
}

namespace {

sqlite_api::sqlite3* native_handle(soci::session& session) {
    return static_cast<soci::sqlite3_session_backend*>(session.get_backend())->conn_;
}

/// A cell, to be asked more than once: sqlite3_column_...() would look for it each time. Our
/// connections belong to one thread at a time, so that it needs no protection.
sqlite_api::sqlite3_value*
value_in(soci::details::statement_backend& statement, std::size_t column) {
    return sqlite_api::sqlite3_column_value(
        static_cast<soci::sqlite3_statement_backend&>(statement).stmt_, static_cast<int>(column)
    );
}

/// Of the value in a cell: in SQLite, its column does not decide that.
int type_of(soci::details::statement_backend& statement, std::size_t column) {
    return sqlite_api::sqlite3_value_type(value_in(statement, column));
}

DbError native_error(DbErrorKind kind, std::string_view attempted, std::string_view message) {
    return DbError(
        kind,
        fmt::format(
            "{}: {}", attempted, message.empty() ? "the client library gives no reason" : message
        )
    );
}

}  // namespace

void SqliteBackend::run_script(soci::session& session, std::string_view sql) const {
    // SOCI would prepare a script's first statement and drop the others.
    sqlite_api::sqlite3* const handle = native_handle(session);
    const std::string text(sql);
    if (sqlite_api::sqlite3_exec(handle, text.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
        const char* message = sqlite_api::sqlite3_errmsg(handle);
        const int code = sqlite_api::sqlite3_extended_errcode(handle);
        throw native_error(classify_sqlite(code, message), sql_summary(sql), message);
    }
}

void SqliteBackend::commit(soci::session& session) const {
    sqlite_api::sqlite3* const handle = native_handle(session);
    if (sqlite_api::sqlite3_exec(handle, "COMMIT", nullptr, nullptr, nullptr) != SQLITE_OK) {
        const char* message = sqlite_api::sqlite3_errmsg(handle);
        const int code = sqlite_api::sqlite3_extended_errcode(handle);
        throw native_error(classify_sqlite_commit(code, message), "COMMIT", message);
    }
}

bool SqliteBackend::in_transaction(soci::session& session) const noexcept {
    return sqlite_api::sqlite3_get_autocommit(native_handle(session)) == 0;
}

bool SqliteBackend::is_read_only(soci::session& session) const noexcept {
    return sqlite_api::sqlite3_db_readonly(native_handle(session), "main") == 1;
}

std::optional<std::string_view>
SqliteBackend::cell(soci::details::statement_backend& statement, std::size_t column) const {
    sqlite_api::sqlite3_value* const value = value_in(statement, column);
    if (sqlite_api::sqlite3_value_type(value) == SQLITE_NULL) {
        return std::nullopt;
    }
    const unsigned char* text = sqlite_api::sqlite3_value_text(value);
    if (text == nullptr) {
        return std::nullopt;
    }
    const int bytes = sqlite_api::sqlite3_value_bytes(value);
    return std::string_view(reinterpret_cast<const char*>(text), static_cast<std::size_t>(bytes));
}

bool SqliteBackend::is_null(soci::details::statement_backend& statement, std::size_t column) const {
    return type_of(statement, column) == SQLITE_NULL;
}

std::optional<std::int64_t> SqliteBackend::native_integer(
    soci::details::statement_backend& statement,
    std::size_t column
) const {
    sqlite_api::sqlite3_value* const value = value_in(statement, column);
    if (sqlite_api::sqlite3_value_type(value) != SQLITE_INTEGER) {
        return std::nullopt;
    }
    return sqlite_api::sqlite3_value_int64(value);
}

bool SqliteBackend::is_bytes(soci::details::statement_backend& statement, std::size_t column)
    const {
    return type_of(statement, column) == SQLITE_BLOB;
}

double SqliteBackend::real(soci::details::statement_backend& statement, std::size_t column) const {
    return sqlite_api::sqlite3_value_double(value_in(statement, column));
}

std::size_t SqliteBackend::columns(soci::details::statement_backend& statement) const {
    return static_cast<std::size_t>(sqlite_api::sqlite3_column_count(
        static_cast<soci::sqlite3_statement_backend&>(statement).stmt_
    ));
}

std::optional<std::string> SqliteBackend::text_of_bytes(Bytes) const {
    return std::nullopt;
}

Bytes SqliteBackend::bytes_of(std::string_view cell, std::string&) const {
    return std::as_bytes(std::span(cell));
}

DbError SqliteBackend::error_of(
    soci::session& session,
    const soci::soci_error& error,
    std::string_view attempted,
    bool /*was_known*/
) const {
    // SOCI's own text would repeat the parameters, which may be secret. Its result() is a primary
    // code; the handle knows the extended one until the next call.
    const auto* native = dynamic_cast<const soci::sqlite3_soci_error*>(&error);
    if (native == nullptr) {
        return native_error(DbErrorKind::other, attempted, error.get_error_message());
    }
    sqlite_api::sqlite3* const handle = native_handle(session);
    const char* message = sqlite_api::sqlite3_errmsg(handle);
    const int code = sqlite_api::sqlite3_extended_errcode(handle);
    return native_error(classify_sqlite(code, message), attempted, message);
}

}  // namespace jobstrand::persistence
