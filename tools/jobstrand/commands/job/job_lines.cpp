#include "tools/jobstrand/commands/job/job_lines.hpp"

#include "schema/limits.hpp"

#include <fmt/format.h>

#include <utility>

namespace jobstrand::cli {

namespace {

/// The largest payload, and ample room for all other fields.
constexpr std::size_t kLineBytes = schema::limits::kPayloadBytes + 64 * 1024;

}  // namespace

std::optional<JobLine> JobLines::next() {
    while (const auto raw = read_line()) {
        if (raw->is_too_long) {
            const std::string problem = fmt::format("the line is longer than {} bytes", kLineBytes);
            return JobLine{.number = number_, .job = {}, .problems = {problem}};
        }
        if (raw->text.find_first_not_of(" \t\r") == std::string::npos) {
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
            .number = number_,
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

std::optional<JobLines::RawLine> JobLines::read_line() {
    RawLine line;
    bool is_there = false;
    while (const auto c = input_.next()) {
        is_there = true;
        if (*c == '\n') {
            break;
        }
        if (line.text.size() < kLineBytes) {
            line.text += *c;
        } else {
            line.is_too_long = true;
        }
    }
    if (!is_there) {
        return std::nullopt;
    }
    ++number_;
    return line;
}

}  // namespace jobstrand::cli
