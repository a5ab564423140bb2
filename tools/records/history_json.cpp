#include "tools/records/history_json.hpp"

#include "schema/text/iso8601.hpp"

#include <fmt/format.h>

namespace jobstrand::cli {

namespace {

using persistence::JobLogLine;

/// `failed (retry), attempt 2 on host:17:ab after 35 ms: connection refused`.
[[nodiscard]] std::string line_in_words(const JobLogLine& line) {
    std::string text = fmt::format("{} {}", schema::format_instant(line.time), name_of(line.event));
    if (!line.reason.empty()) {
        text += fmt::format(" ({})", line.reason);
    }
    if (line.attempt) {
        text += fmt::format(", attempt {}", *line.attempt);
    }
    if (!line.node.empty()) {
        text += " on " + line.node;
    }
    if (line.duration) {
        text += fmt::format(" after {} ms", line.duration->count());
    }
    return line.message.empty() ? text : text + ": " + line.message;
}

}  // namespace

const Fields<JobLogLine>& log_line_fields() {
    const auto duration_ms = [](const JobLogLine& line) {
        return line.duration ? std::optional(line.duration->count()) : std::nullopt;
    };
    static const Fields<JobLogLine> all{
        {.name = "id", .value = &JobLogLine::id},
        {.name = "time", .value = &JobLogLine::time, .column = {.heading = "WHEN"}, .place = 1},
        {.name = "event", .value = &JobLogLine::event, .column = {.heading = "EVENT"}, .place = 2},
        {.name = "reason",
         .value = &JobLogLine::reason,
         .column = {.heading = "REASON", .width_max = 32, .rank = 3},
         .place = 3,
         .is_null_if_empty = true},
        {.name = "jobId",
         .value = &JobLogLine::job,
         .column = {.heading = "JOB", .width_max = 36, .width_least = 14},
         .place = 4},
        {.name = "attempt",
         .value = &JobLogLine::attempt,
         .meaning = "Which run it was, from 1",
         .column = {.heading = "ATTEMPT", .rank = 2},
         .place = 6},
        {.name = "retries", .value = &JobLogLine::retries, .meaning = "Left afterwards"},
        {.name = "handlerType",
         .value = &JobLogLine::handler_type,
         .column = {.heading = "TYPE", .width_max = 40, .rank = 1, .width_least = 10},
         .place = 5,
         .is_null_if_empty = true},
        {.name = "exceptionMessage",
         .value = &JobLogLine::message,
         .column = {.heading = "MESSAGE", .width_max = 80, .rank = 1, .width_least = 32},
         .place = 8,
         .is_null_if_empty = true},
        {.name = "durationMs",
         .value = duration_ms,
         .meaning = "Of the run, where it is known",
         .column = {.heading = "MS", .rank = 5},
         .place = 7},
        {.name = "node",
         .value = &JobLogLine::node,
         .meaning = "The lock owner that held it",
         .column = {.heading = "NODE", .width_max = 40, .rank = 6, .width_least = 8},
         .place = 9,
         .is_null_if_empty = true},
        {.name = "priority", .value = &JobLogLine::priority},
        {.name = "dueDate", .value = &JobLogLine::due_date},
        {.name = "processInstanceId", .value = &JobLogLine::instance, .is_null_if_empty = true},
        {.name = "rootProcessInstanceId",
         .value = &JobLogLine::root_instance,
         .is_null_if_empty = true},
        {.name = "processDefinitionId", .value = &JobLogLine::definition, .is_null_if_empty = true},
        {.name = "jobDefinitionId", .value = &JobLogLine::job_definition, .is_null_if_empty = true},
        {.name = "executionId", .value = &JobLogLine::execution, .is_null_if_empty = true},
        {.name = "elementId", .value = &JobLogLine::element, .is_null_if_empty = true},
        {.name = "tenantId", .value = &JobLogLine::tenant, .is_null_if_empty = true},
    };
    return all;
}

RecordField history_field(const std::vector<JobLogLine>& lines) {
    std::string json;
    std::string text;
    for (const JobLogLine& line : lines) {
        json += (json.empty() ? "" : ",") + json_of(record_of(log_line_fields(), line));
        text += (text.empty() ? "" : "\n") + line_in_words(line);
    }
    return {.name = "history", .json = "[" + json + "]", .text = text};
}

}  // namespace jobstrand::cli
