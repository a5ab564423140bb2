#pragma once

#include "executor/enqueue/new_job.hpp"
#include "schema/limits.hpp"
#include "tools/operations/job/job_checks.hpp"
#include "tools/process/input.hpp"
#include "tools/records/job_json.hpp"

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

}  // namespace jobstrand::cli
