#pragma once

#include "tools/jobstrand/commands/job/job_checks.hpp"
#include "tools/jobstrand/json/new_job.hpp"

#include <istream>
#include <optional>
#include <string>
#include <vector>

namespace jobstrand::cli {

/// One line of a JSONL file of jobs.
struct JobLine {
    std::int64_t number = 0;  ///< Counts from 1.
    NewJob job;
    std::vector<std::string> problems;  ///< Empty: the job can be enqueued.
};

/// Reads jobs line by line; blank lines are passed over. No line is kept, so a file may be larger
/// than the memory.
class JobLines final {
public:
    /// Both must outlive it.
    JobLines(std::istream& stream, const JobCheckContext& context);

    /// nullopt: the end.
    [[nodiscard]] std::optional<JobLine> next();

private:
    struct RawLine {
        std::string text;
        bool is_too_long = false;
    };

    [[nodiscard]] std::optional<RawLine> read_line();

    std::istream& stream_;
    const JobCheckContext& context_;
    std::int64_t number_ = 0;
};

}  // namespace jobstrand::cli
