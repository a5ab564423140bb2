#pragma once

#include "executor/enqueue/new_job.hpp"
#include "schema/limits.hpp"
#include "tools/operations/job/job_enqueueing.hpp"
#include "tools/parameters/field_options.hpp"
#include "tools/parameters/option_values.hpp"
#include "tools/parameters/schedule_options.hpp"
#include "tools/process/exit_code.hpp"
#include "tools/process/input.hpp"
#include "tools/records/job_json.hpp"
#include "tools/session/session.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace jobstrand::cli {

/// The largest payload, and ample room for all other fields.
inline constexpr std::size_t kBytesOfJobLine = schema::limits::kPayloadBytes + 64 * 1024;

/// One line of a JSONL file of jobs.
struct JobLine {
    std::int64_t number = 0;  ///< Counts from 1.
    executor::NewJob job;
    std::vector<std::string> problems;  ///< Empty: the job can be enqueued.
};

/// Reads jobs line by line; blank lines are passed over. No line is kept, so a file may be larger
/// than the memory.
class JobLines final {
public:
    /// Both must outlive it.
    JobLines(Input& input, const JobCheckContext& context)
        : lines_(input, kBytesOfJobLine), context_(context) {}

    /// nullopt: the end. Throws CliError failed when the input breaks off.
    [[nodiscard]] std::optional<JobLine> next();

private:
    /// Of a due date in words; what it means is the same in every reading of the file.
    void find_due_date(JobFromJson& read) const;

    BoundedLines lines_;
    const JobCheckContext& context_;
};

/// The fields of one job, as they were typed, or a file of many.
struct AddOptions {
    TypedFields fields = fields_with(&schema::JobField::add);
    DueOptions due;  ///< `--due` and `--due-in`: the due date is not among the fields.
    bool external = false;
    std::optional<std::string> on_duplicate;
    std::optional<std::string> unique_for;
    SeriesOptions series;

    std::optional<std::string> from;
    bool keep_going = false;
};

/// `job add`: enqueues one job and prints its id, or the jobs of a JSONL file, all or none: every
/// line is checked before the first job is written, and all are written in one transaction. With
/// keep_going, bad lines are reported and left out, the others are written page by page, and the
/// answer is partly_done.
[[nodiscard]] ExitCode add_jobs(Session& session, const AddOptions& options);

}  // namespace jobstrand::cli
