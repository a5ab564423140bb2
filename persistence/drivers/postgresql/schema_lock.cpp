#include "persistence/drivers/postgresql/schema_lock.hpp"

#include <string_view>

namespace jobstrand::persistence {

namespace {

/// A change of the schema may take longer than any other statement.
constexpr std::string_view kAllowTime =
    "SET LOCAL lock_timeout = '20s'; SET LOCAL statement_timeout = 0";

/// Freed by the end of the transaction. The number is `jobstran` in ASCII.
constexpr std::string_view kTake = "SELECT pg_advisory_xact_lock(7669456938449658222)";

}  // namespace

std::unique_ptr<SchemaLock> lock_postgresql_schema(Connection& connection) {
    auto lock = std::make_unique<SchemaTransaction>(connection);
    connection.run_script(kAllowTime);
    connection.query({.sql = kTake, .columns = 1}, {}, [](const Row&) {});
    return lock;
}

}  // namespace jobstrand::persistence
