#pragma once

#include "persistence/sql/schema_lock.hpp"

#include <memory>

namespace jobstrand::persistence {

/// A named lock of the database's own. On a Galera cluster it locks nothing: there the lock would
/// be one server's, and some versions refuse it; see upgrade_schema.
[[nodiscard]] std::unique_ptr<SchemaLock> lock_mysql_schema(Connection& connection);

}  // namespace jobstrand::persistence
