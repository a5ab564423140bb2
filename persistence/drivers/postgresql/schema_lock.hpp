#pragma once

#include "persistence/sql/schema_lock.hpp"

#include <memory>

namespace jobstrand::persistence {

/// A transaction with an advisory lock.
[[nodiscard]] std::unique_ptr<SchemaLock> lock_postgresql_schema(Connection& connection);

}  // namespace jobstrand::persistence
