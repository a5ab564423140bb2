#pragma once

#include "persistence/migration/schema_check.hpp"
#include "persistence/sql/connection.hpp"

namespace jobstrand::persistence {

/// Reports the rows of jobs that a producer's SQL has written wrong: for each table and column how
/// many there are, the id of one of them, and the statement that mends those which can be. Reads
/// all rows, once for each column. The tables must be complete. Throws DbError.
void check_rows(Connection& connection, SchemaReport& report);

}  // namespace jobstrand::persistence
