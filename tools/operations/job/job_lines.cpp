#include "tools/operations/job/job_lines.hpp"

#include <fmt/format.h>

#include <utility>

namespace jobstrand::cli {

std::optional<JobLine> JobLines::next() {
    while (const auto raw = lines_.next()) {
        if (raw->is_too_long) {
            const std::string problem =
                fmt::format("the line is longer than {} bytes", kBytesOfJobLine);
            return JobLine{.number = raw->number, .job = {}, .problems = {problem}};
        }
        if (raw->is_blank()) {
            continue;
        }
        JobFromJson read = job_from_json(raw->text);
        if (read.due && read.problems.empty()) {
            find_due_date(read);
        }
        if (read.problems.empty()) {
            read.problems = problems_of_new(read.content, context_);
        }
        return JobLine{
            .number = raw->number,
            .job = std::move(read.content),
            .problems = std::move(read.problems),
        };
    }
    return std::nullopt;
}

void JobLines::find_due_date(JobFromJson& read) const {
    const auto date = timers::due_date_of(*read.due, context_.calendars, context_.now);
    if (date) {
        read.content.job.due_date = date.value();
    } else {
        read.problems.push_back("dueDate: " + date.error().message);
    }
}

}  // namespace jobstrand::cli
