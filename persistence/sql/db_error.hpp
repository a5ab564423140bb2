#pragma once

#include <jobstrand/error.hpp>

#include <string>
#include <string_view>

namespace jobstrand::persistence {

/// What a caller can do about a database error. Every native error is mapped to one of these, in
/// one function per driver; nothing else looks at codes.
///
/// They are the public ErrorKind, by the same numbers, and one more, which an app can do nothing
/// about; its switches need not know it.
enum class DbErrorKind {
    conflict,  ///< Also a serialization failure, or a certification conflict.
    busy,
    connection_lost,  ///< Again, on a new one.
    in_doubt,         ///< Nobody knows; read the rows (I9).
    duplicate_key,    ///< In DDL also: there is a column or index of this name.
    too_long,
    read_only,  ///< A replica, a file without write permission.
    storage_full,
    not_a_database,  ///< Also a proxy that has no server behind it.
    access_denied,
    unreachable,
    schema_missing,
    other,       ///< A mistake in our SQL, corruption.
    unreadable,  ///< What stands in a column is not what the column means: `other` to apps.
};

[[nodiscard]] std::string_view name_of(DbErrorKind kind);

/// The outside world failed, in more words than the public error has.
class DbError final : public Error {
public:
    DbError(DbErrorKind kind, const std::string& message);

    /// An error that an app has made.
    explicit DbError(const Error& error);

    [[nodiscard]] DbErrorKind kind() const noexcept { return kind_; }

    /// The database as a whole serves nobody now, whatever is asked of it: connection_lost,
    /// in_doubt, unreachable, not_a_database, read_only, storage_full.
    [[nodiscard]] bool is_outage() const noexcept;

    /// The connection must not be used again: connection_lost, in_doubt, and read_only, because
    /// after a failover another server takes the writes.
    [[nodiscard]] bool poisons_connection() const noexcept;

private:
    DbErrorKind kind_;
};

}  // namespace jobstrand::persistence
