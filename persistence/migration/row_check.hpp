#pragma once

#include "persistence/migration/schema_migration.hpp"
#include "persistence/sql/connection.hpp"

#include <vector>

namespace jobstrand::persistence {

/// The rows of jobs that a producer's SQL has written wrong: for each table and column how many
/// there are, the id of one of them, and the statement that mends those which can be. Reads all
/// rows, once for each column. The tables must be complete. Throws DbError.
[[nodiscard]] std::vector<SchemaDifference> check_rows(Connection& connection);

}  // namespace jobstrand::persistence
