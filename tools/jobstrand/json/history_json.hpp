#pragma once

#include "persistence/incident.hpp"
#include "persistence/job_log.hpp"
#include "tools/jobstrand/output/record.hpp"

#include <vector>

namespace jobstrand::cli {

[[nodiscard]] Record record_of(const persistence::JobLogLine& line);
[[nodiscard]] Record record_of(const persistence::Incident& incident);

/// What happened to a job, for the record of that job: its latest lines as a list of objects.
[[nodiscard]] RecordField history_field(const std::vector<persistence::JobLogLine>& lines);

}  // namespace jobstrand::cli
