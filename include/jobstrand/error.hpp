#pragma once

#include <stdexcept>
#include <string>

namespace jobstrand {

/// What an app can do about an error of the database.
enum class ErrorKind {
    conflict,         ///< A deadlock or the like: run the transaction again.
    busy,             ///< Somebody else holds the lock for too long: run it again, later.
    connection_lost,  ///< The transaction is rolled back: run it again.
    in_doubt,         ///< The connection was lost during COMMIT: only the rows know.
    duplicate_key,    ///< There is a job, a series or a row with this key.
    too_long,         ///< A value does not fit its column.
    read_only,        ///< The database takes no writes.
    storage_full,     ///< The disk or a quota is full.
    not_a_database,   ///< The file or server is something else.
    access_denied,    ///< User, password or rights.
    unreachable,      ///< No server, no file, no such database.
    schema_missing,   ///< A table or column is missing.
    other,
};

/// The database did not do what it was asked for. `what()` is one line that says what was attempted
/// and what the database said; it never has a password in it.
///
/// The engine derives from it. Of an error that an app derives and throws through the engine, only
/// the kind and the text come back.
///
/// What an app did wrong is not an Error but a std::logic_error whose text says what to do instead:
/// a value that no column holds (std::invalid_argument), or calls in an order that makes no sense.
class Error : public std::runtime_error {
public:
    Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}

    [[nodiscard]] ErrorKind kind() const noexcept { return kind_; }

    /// Running the whole transaction again may help: conflict, busy, connection_lost.
    [[nodiscard]] bool is_transient() const noexcept {
        return kind_ == ErrorKind::conflict || kind_ == ErrorKind::busy ||
               kind_ == ErrorKind::connection_lost;
    }

private:
    ErrorKind kind_;
};

}  // namespace jobstrand
