#include "persistence/sql/db_error.hpp"

namespace jobstrand::persistence {

namespace {

template <ErrorKind kind, DbErrorKind ours>
constexpr bool kIsSame = static_cast<int>(kind) == static_cast<int>(ours);

static_assert(kIsSame<ErrorKind::conflict, DbErrorKind::conflict>);
static_assert(kIsSame<ErrorKind::busy, DbErrorKind::busy>);
static_assert(kIsSame<ErrorKind::connection_lost, DbErrorKind::connection_lost>);
static_assert(kIsSame<ErrorKind::in_doubt, DbErrorKind::in_doubt>);
static_assert(kIsSame<ErrorKind::duplicate_key, DbErrorKind::duplicate_key>);
static_assert(kIsSame<ErrorKind::too_long, DbErrorKind::too_long>);
static_assert(kIsSame<ErrorKind::read_only, DbErrorKind::read_only>);
static_assert(kIsSame<ErrorKind::storage_full, DbErrorKind::storage_full>);
static_assert(kIsSame<ErrorKind::not_a_database, DbErrorKind::not_a_database>);
static_assert(kIsSame<ErrorKind::access_denied, DbErrorKind::access_denied>);
static_assert(kIsSame<ErrorKind::unreachable, DbErrorKind::unreachable>);
static_assert(kIsSame<ErrorKind::schema_missing, DbErrorKind::schema_missing>);
static_assert(kIsSame<ErrorKind::other, DbErrorKind::other>);

ErrorKind public_kind_of(DbErrorKind kind) {
    return kind == DbErrorKind::unreadable ? ErrorKind::other : static_cast<ErrorKind>(kind);
}

DbErrorKind kind_of(ErrorKind kind) {
    return kind < ErrorKind::other ? static_cast<DbErrorKind>(kind) : DbErrorKind::other;
}

}  // namespace

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
    : Error(public_kind_of(kind), message), kind_(kind) {}

DbError::DbError(const Error& error) : Error(error), kind_(kind_of(error.kind())) {}

bool DbError::is_outage() const noexcept {
    return poisons_connection() || kind_ == DbErrorKind::unreachable ||
           kind_ == DbErrorKind::not_a_database || kind_ == DbErrorKind::storage_full;
}

bool DbError::poisons_connection() const noexcept {
    return kind_ == DbErrorKind::connection_lost || kind_ == DbErrorKind::in_doubt ||
           kind_ == DbErrorKind::read_only;
}

}  // namespace jobstrand::persistence
