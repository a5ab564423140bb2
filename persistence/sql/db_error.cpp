#include "persistence/sql/db_error.hpp"

namespace jobstrand::persistence {

std::string_view name_of(DbErrorKind kind) {
    switch (kind) {
        case DbErrorKind::conflict:
            return "conflict";
        case DbErrorKind::busy:
            return "busy";
        case DbErrorKind::connection_lost:
            return "connection_lost";
        case DbErrorKind::in_doubt:
            return "in_doubt";
        case DbErrorKind::duplicate_key:
            return "duplicate_key";
        case DbErrorKind::too_long:
            return "too_long";
        case DbErrorKind::read_only:
            return "read_only";
        case DbErrorKind::storage_full:
            return "storage_full";
        case DbErrorKind::not_a_database:
            return "not_a_database";
        case DbErrorKind::access_denied:
            return "access_denied";
        case DbErrorKind::unreachable:
            return "unreachable";
        case DbErrorKind::schema_missing:
            return "schema_missing";
        case DbErrorKind::unreadable:
            return "unreadable";
        case DbErrorKind::other:
            return "other";
    }
    return {};
}

DbError::DbError(DbErrorKind kind, const std::string& message)
    : std::runtime_error(message), kind_(kind) {}

bool DbError::is_transient() const noexcept {
    return kind_ == DbErrorKind::conflict || kind_ == DbErrorKind::busy ||
           kind_ == DbErrorKind::connection_lost;
}

bool DbError::is_outage() const noexcept {
    return poisons_connection() || kind_ == DbErrorKind::unreachable ||
           kind_ == DbErrorKind::not_a_database || kind_ == DbErrorKind::storage_full;
}

bool DbError::poisons_connection() const noexcept {
    return kind_ == DbErrorKind::connection_lost || kind_ == DbErrorKind::in_doubt ||
           kind_ == DbErrorKind::read_only;
}

}  // namespace jobstrand::persistence
