#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace jobstrand::persistence {

/// What a caller can do about a database error. Every native error is mapped to one of these, in
/// one function per driver; nothing else looks at codes.
enum class DbErrorKind {
    /// Deadlock, serialization failure, certification conflict: run the transaction again.
    conflict,
    busy,  ///< Somebody else holds the lock for too long: run it again, later.
    /// The connection is gone and the transaction rolled back: again, on a new one.
    connection_lost,
    in_doubt,       ///< Lost during COMMIT: nobody knows; read the rows (I9).
    duplicate_key,  ///< A row with this key exists; in DDL, a column or index of this name.
    too_long,       ///< A value does not fit its column.
    read_only,      ///< The database takes no writes: a replica, a file without write permission.
    storage_full,   ///< The disk or a quota is full.
    /// The file or server is something else, or a proxy that has no server behind it.
    not_a_database,
    access_denied,   ///< User, password or rights.
    unreachable,     ///< No server, no file, no such database.
    schema_missing,  ///< A table or column is missing.
    unreadable,      ///< What stands in a column is not what the column means.
    other,           ///< Anything else: a mistake in our SQL, corruption.
};

[[nodiscard]] std::string_view name_of(DbErrorKind kind);

/// The outside world failed. `what()` is one line that says what was attempted and what the
/// database said; it never has a password in it.
class DbError final : public std::runtime_error {
public:
    DbError(DbErrorKind kind, const std::string& message);

    [[nodiscard]] DbErrorKind kind() const noexcept { return kind_; }

    /// Running the whole transaction again may help: conflict, busy, connection_lost.
    [[nodiscard]] bool is_transient() const noexcept;

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
