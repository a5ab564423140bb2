#pragma once

#include "persistence/migration/live_schema.hpp"
#include "persistence/migration/table_report.hpp"

namespace jobstrand::persistence {

/// Compares the columns of a table with those that this program creates: types, NULL, defaults, how
/// texts are kept and compared; and finds columns of others that keep our rows out.
void check_columns(const LiveTable& live, TableReport& report);

/// Whether a column gets the same value as in a table that this program creates when an INSERT does
/// not name it.
[[nodiscard]] bool
has_expected_default(const schema::Column& column, const LiveColumn& live, const Dialect& dialect);

}  // namespace jobstrand::persistence
