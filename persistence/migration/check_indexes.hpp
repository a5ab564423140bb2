#pragma once

#include "persistence/migration/live_schema.hpp"
#include "persistence/migration/table_report.hpp"

namespace jobstrand::persistence {

/// The index of the table that is being reported on is missing.
void missing_index(const schema::Index& index, TableReport& report);

/// Compares key and indexes of a table with those that this program creates; those of others are
/// remarks.
void check_indexes(const LiveTable& live, TableReport& report);

}  // namespace jobstrand::persistence
