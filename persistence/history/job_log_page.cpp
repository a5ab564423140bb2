#include "persistence/history/job_log_page.hpp"

#include "persistence/history/history_rows.hpp"
#include "schema/limits.hpp"
#include "schema/text/utf8.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <string>
#include <utility>

namespace jobstrand::persistence {

namespace {

using schema::Job;
using schema::JobEvent;
using schema::Transition;

constexpr std::string_view kLogTable = "ACT_HI_JOB_LOG";

constexpr std::array<std::string_view, 21> kLogColumns{
    "ID_",
    "TIMESTAMP_",
    "JOB_ID_",
    "JOB_DUEDATE_",
    "JOB_RETRIES_",
    "JOB_PRIORITY_",
    "JOB_EXCEPTION_MSG_",
    "JOB_STATE_",
    "JOB_DEF_ID_",
    "JOB_DEF_TYPE_",
    "ACT_ID_",
    "EXECUTION_ID_",
    "ROOT_PROC_INST_ID_",
    "PROCESS_INSTANCE_ID_",
    "PROCESS_DEF_ID_",
    "TENANT_ID_",
    "HOSTNAME_",
    "REASON_",
    "ATTEMPT_",
    "DURATION_",
    "BYTES_",
};

/// Bytes of a stack trace or an output that are kept of each attempt; its end says most.
constexpr std::size_t kDetailsOfLine = std::size_t{4} * 1024;

std::string end_of(std::string_view details) {
    if (details.size() > kDetailsOfLine) {
        details.remove_prefix(details.size() - kDetailsOfLine);
        const auto is_inside = [](char byte) {
            constexpr unsigned kMask = 0xC0;
            constexpr unsigned kContinuation = 0x80;
            return (static_cast<unsigned char>(byte) & kMask) == kContinuation;
        };
        details.remove_prefix(
            static_cast<std::size_t>(std::ranges::find_if_not(details, is_inside) - details.begin())
        );
    }
    return std::string(details);
}

JobLogLine line_of(const Job& job, const MoveFacts& facts) {
    return {
        .time = facts.time,
        .job = job.id,
        .retries = job.retries,
        .priority = job.priority,
        .due_date = job.due_date,
        .handler_type = job.handler_type,
        .definition = job.process_definition_id,
        .job_definition = job.job_definition_id,
        .element = job.element_id,
        .execution = job.execution_id,
        .root_instance = job.root_process_instance_id,
        .instance = job.process_instance_id,
        .tenant = job.tenant_id,
        .node = std::string(facts.node),
        .duration = facts.duration,
        .message = std::string(facts.message),
    };
}

void append_line(std::vector<Value>& values, const JobLogLine& line, const Dialect& dialect) {
    const auto number = [](auto from) { return Value{static_cast<std::int64_t>(from)}; };
    values.insert(
        values.end(),
        {std::string_view(line.id),
         storable(line.time, dialect),
         std::string_view(line.job),
         line.due_date ? Value{storable(*line.due_date, dialect)} : Value{},
         number(line.retries),
         line.priority,
         text_or_null(line.message),
         number(line.event),
         text_or_null(line.job_definition),
         text_or_null(line.handler_type),
         text_or_null(line.element),
         text_or_null(line.execution),
         text_or_null(line.root_instance),
         text_or_null(line.instance),
         text_or_null(line.definition),
         text_or_null(line.tenant),
         text_or_null(line.node),
         text_or_null(line.reason),
         line.attempt ? number(*line.attempt) : Value{},
         line.duration ? number(line.duration->count()) : Value{},
         text_or_null(line.details)}
    );
}

}  // namespace

bool JobLogPage::wants(JobEvent event) const {
    return schema::is_logged(event, book_.rules().job_log);
}

void JobLogPage::add(const Job& job, const Transition& transition, const MoveFacts& facts) {
    const auto event = schema::event_of(transition.reason);
    if (!event || !wants(*event)) {
        return;
    }
    add(job, *event, schema::name_of(transition.reason), facts);
    JobLogLine& line = lines_.back();
    if (event == JobEvent::succeeded) {
        line.attempt = job.attempts + 1;
    }
    if (transition.to) {
        line.retries = transition.retries;
        line.due_date = transition.due_date;
    }
    if (event == JobEvent::failed) {
        line.attempt = transition.attempts;
    }
    if (transition.failure) {
        line.message = transition.failure->message;
        line.details = end_of(transition.failure->details);
    } else if (event == JobEvent::dead) {
        line.message = job.exception_message;
    }
}

void JobLogPage::add(
    const Job& job,
    JobEvent event,
    std::string_view reason,
    const MoveFacts& facts
) {
    if (!wants(event)) {
        return;
    }
    lines_.push_back(line_of(job, facts));
    lines_.back().event = event;
    lines_.back().reason = reason;
    lines_.back().id = book_.next_id(facts.time);
}

void JobLogPage::add_interrupted(const Job& job, std::string_view node, schema::TimePoint now) {
    add(job,
        JobEvent::interrupted,
        "lock expired",
        {.time = now,
         .node = node,
         .message = "the process that held it died, or was cut off from the database"});
}

void JobLogPage::add_created(const Job& job, schema::TimePoint now) {
    add(job, JobEvent::created, "enqueued", {.time = job.create_time.value_or(now)});
}

void JobLogPage::write(Transaction& transaction) {
    if (lines_.empty()) {
        return;
    }
    NewRows rows{.table = kLogTable, .columns = kLogColumns};
    rows.values.reserve(lines_.size() * kLogColumns.size());
    for (const JobLogLine& line : lines_) {
        append_line(rows.values, line, transaction.dialect());
    }
    insert_all(transaction, rows);
    lines_.clear();
}

}  // namespace jobstrand::persistence
