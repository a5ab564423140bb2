#pragma once

#include "persistence/migration/live_schema.hpp"
#include "persistence/migration/table_report.hpp"

namespace jobstrand::persistence {

/// Compares the columns of a table with those that this program creates: types, NULL, defaults, how
/// texts are kept and compared; and finds columns of others that keep our rows out.
void check_columns(const LiveTable& live, TableReport& report);

}  // namespace jobstrand::persistence
