#pragma once

#include "persistence/history_store.hpp"
#include "tools/output/fields.hpp"

#include <vector>

namespace jobstrand::cli {

/// What happened to a job, but for the details of a failure.
[[nodiscard]] const Fields<persistence::JobLogLine>& log_line_fields();

/// What happened to a job, for the record of that job: its latest lines as a list of objects.
[[nodiscard]] RecordField history_field(const std::vector<persistence::JobLogLine>& lines);

}  // namespace jobstrand::cli
