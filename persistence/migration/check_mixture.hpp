#pragma once

#include "persistence/migration/live_schema.hpp"
#include "persistence/migration/schema_check.hpp"
#include "persistence/sql/connection.hpp"

namespace jobstrand::persistence {

/// Whether Flowable's tables here are whole. An engine that starts where our tables are already
/// takes them for those of an older Flowable, fails on the first one that it misses, and leaves
/// what it has changed so far; nothing brings the two together then. Throws DbError.
void check_mixture(Connection& connection, const LiveSchema& live, SchemaReport& report);

}  // namespace jobstrand::persistence
