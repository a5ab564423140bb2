#pragma once

#include "persistence/sql/connection.hpp"
#include "persistence/sql/db_error.hpp"

namespace jobstrand::persistence {

/// Runs what changes tables. An error of the kind access_denied gets the statement behind it that
/// gives the right, for an administrator to run.
template <typename Change>
auto with_upgrade_rights(Connection& connection, Change change);

/// The error with that statement; as it is when it is of another kind, or nobody's rights differ.
[[nodiscard]] DbError with_upgrade_grant(Connection& connection, const DbError& error);

template <typename Change>
auto with_upgrade_rights(Connection& connection, Change change) {
    // Defended catch: the server says what it refuses, and not what would allow it.
    try {
        return change();
    } catch (const DbError& error) {
        throw with_upgrade_grant(connection, error);
    }
}

}  // namespace jobstrand::persistence
