#include "persistence/drivers/postgresql/schema_lock.hpp"

#include <string_view>

namespace jobstrand::persistence {

namespace {

/// All who want to write to a table wait behind a change of it that waits.
constexpr std::string_view kWaitBriefly = "SET LOCAL lock_timeout = '1s'";

/// A change of the schema may take longer than any other statement, and another one may be at it.
constexpr std::string_view kAllowTime =
    "SET LOCAL lock_timeout = '20s'; SET LOCAL statement_timeout = 0";

/// Freed by the end of the transaction. The number is `jobstran` in ASCII.
constexpr std::string_view kTake = "SELECT pg_advisory_xact_lock(7669456938449658222)";

}  // namespace

std::unique_ptr<SchemaLock> lock_postgresql_schema(Connection& connection) {
    auto lock = std::make_unique<SchemaTransaction>(connection);
    connection.run_script(kAllowTime);
    connection.query({.sql = kTake, .columns = 1}, {}, [](const Row&) {});
    connection.run_script(kWaitBriefly);
    return lock;
}

}  // namespace jobstrand::persistence
