#pragma once

#include "persistence/sql/connection.hpp"
#include "persistence/sql/db_error.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/schema_lock.hpp"
#include "schema/tables.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

namespace jobstrand::persistence {

/// How long a change of tables waits for transactions of others that use them. All who want to
/// write wait behind a change that waits itself, so each try is short (see TableDialect::lock), and
/// between two of them others get on.
struct TablePatience {
    int tries = 30;
    std::chrono::milliseconds pause{1'000};
    std::function<void()> on_wait = {};  ///< After a try that failed; nothing is locked then.
};

/// Runs a change under the lock of the schema, again and again while tables are in use. Throws
/// DbError, busy when they are in use until the end.
template <typename Change>
auto change_tables(Connection& connection, const TablePatience& patience, const Change& change) {
    const auto try_once = [&]() -> std::optional<decltype(change())> {
        const auto lock = connection.dialect().tables.lock(connection);
        // Defended catch: the next try may come behind the transactions that are in the way.
        try {
            auto result = change();
            lock->keep_changes();
            return result;
        } catch (const DbError& error) {
            if (error.kind() != DbErrorKind::busy) {
                throw;
            }
            return std::nullopt;
        }
    };
    for (int tries = 1; tries <= patience.tries; ++tries) {
        if (auto result = try_once()) {
            return *result;
        }
        if (patience.on_wait) {
            patience.on_wait();
        }
        std::this_thread::sleep_for(patience.pause);
    }
    throw DbError(
        DbErrorKind::busy,
        "the tables were in use at " + std::to_string(patience.tries) +
            " tries: a transaction of another program is open for long; `jobstrand doctor` may say "
            "whose. Nothing was changed"
    );
}

/// An error of the kind access_denied with the statement behind it that gives the right, for an
/// administrator to run; as it is when it is of another kind, or nobody's rights differ.
[[nodiscard]] DbError with_upgrade_grant(Connection& connection, const DbError& error);

/// Runs what changes tables. Its errors are as with_upgrade_grant() makes them.
template <typename Change>
auto with_upgrade_rights(Connection& connection, Change change) {
    // Defended catch: the server says what it refuses, and not what would allow it.
    try {
        return change();
    } catch (const DbError& error) {
        throw with_upgrade_grant(connection, error);
    }
}

// The indexes that only some settings need. They come and go by an operator's command, never by the
// service itself.

[[nodiscard]] bool has_index(Connection& connection, const schema::OptionalIndex& index);

/// false: it was there already. Other changes of the schema wait while it is made, and on SQLite so
/// do all who write. On PostgreSQL it waits for the transactions that are open. Throws DbError.
bool create_index(
    Connection& connection,
    const schema::OptionalIndex& index,
    const TablePatience& patience = {}
);

/// false: it was not there. Throws DbError.
bool drop_index(
    Connection& connection,
    const schema::OptionalIndex& index,
    const TablePatience& patience = {}
);

/// Throws DbError `schema_missing` when it is not there; `purpose` begins the message, which names
/// the command that helps.
void require_index(
    Connection& connection,
    const schema::OptionalIndex& index,
    std::string_view purpose
);

/// Whether the times of this database end so early that due dates may be refused (see
/// Dialect::latest_time), and make_times_last() has a type for them that does not.
[[nodiscard]] bool have_times_an_early_end(const Connection& connection);

/// Gives all times of our tables the type that lasts. All rows are kept, and written anew, so that
/// writers wait. Connections that are open go on with the old end.
///
/// false: they last already. Throws DbError.
bool make_times_last(Connection& connection);

}  // namespace jobstrand::persistence
