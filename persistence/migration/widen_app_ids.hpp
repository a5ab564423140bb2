#pragma once

#include "persistence/migration/live_schema.hpp"
#include "persistence/sql/connection.hpp"

namespace jobstrand::persistence {

/// Lets the ids of apps hold any text where an earlier version has made their columns narrower.
/// Columns of others stay as they are: Flowable's have foreign keys, which allow no change of one
/// side, and `schema check` tells what they cannot hold. Rewrites the tables. Throws DbError.
void widen_app_ids(Connection& connection, const LiveSchema& live);

}  // namespace jobstrand::persistence
