#pragma once

#include "persistence/sql/schema_lock.hpp"

#include <chrono>
#include <memory>

namespace jobstrand::persistence {

/// A transaction with an advisory lock.
[[nodiscard]] std::unique_ptr<SchemaLock> lock_postgresql_schema(Connection& connection);

/// See TableDialect::allow_time.
[[nodiscard]] std::unique_ptr<SchemaLock>
allow_postgresql_time(Connection& connection, std::chrono::milliseconds wait);

}  // namespace jobstrand::persistence
