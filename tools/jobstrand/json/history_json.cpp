#include "tools/jobstrand/json/history_json.hpp"

#include "schema/text/iso8601.hpp"
#include "tools/jobstrand/json/optional_number.hpp"
#include "tools/jobstrand/output/time_field.hpp"

#include <fmt/format.h>

namespace jobstrand::cli {

namespace {

/// `failed (retry), attempt 2 on host:17:ab after 35 ms: connection refused`.
[[nodiscard]] std::string line_in_words(const persistence::JobLogLine& line) {
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

Record record_of(const persistence::JobLogLine& line) {
    Record record{
        text_field("id", line.id),
        time_field("time", line.time),
        text_field("event", name_of(line.event)),
        text_or_null_field("reason", line.reason),
        text_field("jobId", line.job),
        number_or_null("attempt", line.attempt),
        number_field("retries", line.retries),
        text_or_null_field("handlerType", line.handler_type),
        text_or_null_field("exceptionMessage", line.message),
        number_or_null(
            "durationMs", line.duration ? std::optional(line.duration->count()) : std::nullopt
        ),
        text_or_null_field("node", line.node),
        number_field("priority", line.priority),
        time_field("dueDate", line.due_date),
        text_or_null_field("processInstanceId", line.instance),
        text_or_null_field("rootProcessInstanceId", line.root_instance),
        text_or_null_field("processDefinitionId", line.definition),
        text_or_null_field("jobDefinitionId", line.job_definition),
        text_or_null_field("executionId", line.execution),
        text_or_null_field("elementId", line.element),
        text_or_null_field("tenantId", line.tenant),
    };
    return record;
}

Record record_of(const persistence::Incident& incident) {
    return {
        text_field("jobId", incident.job),
        text_field("id", incident.id),
        time_field("time", incident.time),
        text_field("type", incident.type),
        text_or_null_field("cause", incident.cause),
        text_or_null_field("message", incident.message),
        text_or_null_field("handlerType", incident.handler_type),
        text_or_null_field("processInstanceId", incident.instance),
        text_or_null_field("processDefinitionId", incident.definition),
        text_or_null_field("jobDefinitionId", incident.job_definition),
        text_or_null_field("executionId", incident.execution),
        text_or_null_field("elementId", incident.element),
        text_or_null_field("tenantId", incident.tenant),
        text_or_null_field("node", incident.node),
        text_or_null_field("annotation", incident.annotation),
        time_field("endTime", incident.end),
        text_or_null_field("resolution", incident.resolution),
    };
}

RecordField history_field(const std::vector<persistence::JobLogLine>& lines) {
    std::string json;
    std::string text;
    for (const persistence::JobLogLine& line : lines) {
        json += (json.empty() ? "" : ",") + json_of(record_of(line));
        text += (text.empty() ? "" : "\n") + line_in_words(line);
    }
    return {.name = "history", .json = "[" + json + "]", .text = text};
}

}  // namespace jobstrand::cli
