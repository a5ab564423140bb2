#pragma once

#include "persistence/history_store.hpp"
#include "persistence/job_filter.hpp"
#include "persistence/run_store.hpp"
#include "schema/job.hpp"
#include "tools/output/fields.hpp"
#include "tools/output/record.hpp"

#include <optional>
#include <vector>

namespace jobstrand::cli {

/// What happened to a job, but for the details of a failure.
[[nodiscard]] const Fields<JobLogLine>& log_line_fields();

/// What happened to a job, for the record of that job: its latest lines as a list of objects.
[[nodiscard]] RecordField history_field(const std::vector<JobLogLine>& lines);

/// What a run tells of itself while it is under way, for the record of a job: `{"progress", "note",
/// "told", "lines"}`. nullopt: the run that holds it has told nothing.
[[nodiscard]] std::optional<RecordField>
news_field(persistence::RunNewsStore& store, const schema::PlacedJob& placed);

/// One of many: `{"id", "handlerType", "progress", "note", "told"}`.
[[nodiscard]] std::string told_json(const persistence::ToldRun& run);

/// The place of jobs that have succeeded: they stand in no table of jobs, and of each type the last
/// runs are known.
inline constexpr std::string_view kDonePlace = "done";

/// A job that is done, as its run tells it.
[[nodiscard]] const Fields<FinishedRun>& done_fields();

/// Of the runs of jobs that are done, of which less is known than of jobs. nullopt: it asks for
/// more than the type, the tenant and the instance.
[[nodiscard]] std::optional<FinishedRunQuery> done_filter_of(const persistence::JobFilter& filter);

}  // namespace jobstrand::cli
