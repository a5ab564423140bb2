#pragma once

#include "persistence/sql/connection.hpp"
#include "persistence/sql/db_error.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/schema_lock.hpp"

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

}  // namespace jobstrand::persistence
