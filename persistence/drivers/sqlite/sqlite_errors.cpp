#include "persistence/drivers/sqlite/sqlite_errors.hpp"

#include <sqlite3.h>

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

}  // namespace jobstrand::persistence
