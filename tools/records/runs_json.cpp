#include "tools/records/runs_json.hpp"

#include "schema/text/time_text.hpp"
#include "tools/output/record.hpp"
#include "tools/text/json_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace jobstrand::cli {

using persistence::FieldCondition;
using persistence::ToldRun;
using schema::JobPlace;

namespace {

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
        {.name = "processInstanceId",
         .value = &JobLogLine::process_instance_id,
         .is_null_if_empty = true},
        {.name = "rootProcessInstanceId",
         .value = &JobLogLine::root_process_instance_id,
         .is_null_if_empty = true},
        {.name = "processDefinitionId",
         .value = &JobLogLine::process_definition_id,
         .is_null_if_empty = true},
        {.name = "jobDefinitionId",
         .value = &JobLogLine::job_definition_id,
         .is_null_if_empty = true},
        {.name = "executionId", .value = &JobLogLine::execution_id, .is_null_if_empty = true},
        {.name = "elementId", .value = &JobLogLine::element_id, .is_null_if_empty = true},
        {.name = "tenantId", .value = &JobLogLine::tenant_id, .is_null_if_empty = true},
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

namespace {

[[nodiscard]] std::string progress_json(const ToldRun& run) {
    return run.news.progress ? fmt::format("{}", *run.news.progress) : "null";
}

[[nodiscard]] std::string lines_json(std::string_view text) {
    std::vector<std::string> lines;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        lines.push_back(json_string(text.substr(0, end)));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return fmt::format("[{}]", fmt::join(lines, ","));
}

/// `40 %: page 4 of 10`, and the lines.
[[nodiscard]] std::string in_words(const schema::RunNews& news) {
    std::string words = news.progress ? fmt::format("{:.0f} %", *news.progress * 100) : "";
    if (!news.note.empty()) {
        words += (words.empty() ? "" : ": ") + news.note;
    }
    if (!news.lines.empty()) {
        words += (words.empty() ? "" : "\n") + news.lines;
    }
    return words;
}

}  // namespace

std::optional<RecordField>
news_field(persistence::RunNewsStore& store, const schema::PlacedJob& placed) {
    const schema::Job& job = placed.job;
    const bool may_run =
        placed.place == JobPlace::executable || placed.place == JobPlace::external_worker;
    if (!may_run || job.lock_owner.empty()) {
        return std::nullopt;
    }
    const std::vector<ToldRun> told = store.run_news(std::array{job.id}, 1);
    if (told.empty() || told.front().owner != job.lock_owner ||
        told.front().revision != job.revision) {
        return std::nullopt;
    }
    const ToldRun& run = told.front();
    return RecordField{
        .name = "news",
        .json = fmt::format(
            R"({{"progress":{},"note":{},"told":{},"lines":{}}})",
            progress_json(run),
            text_or_null_field("note", run.news.note).json,
            time_field("told", run.told).json,
            lines_json(run.news.lines)
        ),
        .text = in_words(run.news)};
}

std::string told_json(const ToldRun& run) {
    return json_of(Record{
        text_field("id", run.job),
        text_field("handlerType", run.handler_type),
        {.name = "progress", .json = progress_json(run), .text = {}, .is_number = true},
        text_or_null_field("note", run.news.note),
        time_field("told", run.told),
    });
}

namespace {

[[nodiscard]] std::optional<std::int64_t> milliseconds_of(
    const std::optional<schema::Duration>& time
) {
    return time ? std::optional<std::int64_t>(time->count()) : std::nullopt;
}

}  // namespace

const Fields<FinishedRun>& done_fields() {
    static const Fields<FinishedRun> all{
        {.name = "id",
         .value = &FinishedRun::job,
         .column = {.heading = "ID", .width_max = 64, .is_job_id = true},
         .place = 1},
        {.name = "place", .value = [](const FinishedRun&) { return std::string(kDonePlace); }},
        {.name = "handlerType",
         .value = &FinishedRun::handler_type,
         .column = {.heading = "TYPE", .width_max = 40, .rank = 1, .width_least = 10},
         .place = 2},
        {.name = "tenantId", .value = &FinishedRun::tenant_id, .is_null_if_empty = true},
        {.name = "processInstanceId",
         .value = &FinishedRun::process_instance_id,
         .column = {.heading = "INSTANCE", .rank = 6},
         .place = 7,
         .is_null_if_empty = true},
        {.name = "ended",
         .value = &FinishedRun::ended,
         .column = {.heading = "ENDED", .rank = 2},
         .place = 3},
        {.name = "node",
         .value = &FinishedRun::node,
         .meaning = "The lock owner that held it",
         .column = {.heading = "NODE", .width_max = 40, .rank = 7, .width_least = 8},
         .place = 8,
         .is_null_if_empty = true},
        {.name = "attempt",
         .value = &FinishedRun::attempt,
         .meaning = "Which run it was, from 1",
         .column = {.heading = "ATTEMPT", .rank = 5},
         .place = 4},
        {.name = "waitedMs",
         .value = [](const FinishedRun& run) { return milliseconds_of(run.waited); },
         .meaning = "From when it could have run until it began, where that is known",
         .column = {.heading = "WAITED MS", .rank = 4},
         .place = 5},
        {.name = "durationMs",
         .value = [](const FinishedRun& run) { return milliseconds_of(run.duration); },
         .meaning = "Of the run, where it is known",
         .column = {.heading = "MS", .rank = 3},
         .place = 6},
        {.name = "message",
         .value = &FinishedRun::message,
         .meaning = "What it said",
         .is_null_if_empty = true},
    };
    return all;
}

namespace {

[[nodiscard]] std::vector<std::string>*
list_for(FinishedRunQuery& wanted, const schema::JobMember& member) {
    const auto is = [&](std::string schema::Job::*text) {
        return member == schema::JobMember(text);
    };
    if (is(&schema::Job::handler_type)) {
        return &wanted.handler_types;
    }
    if (is(&schema::Job::tenant_id)) {
        return &wanted.tenant_ids;
    }
    return is(&schema::Job::process_instance_id) ? &wanted.process_instance_ids : nullptr;
}

}  // namespace

std::optional<FinishedRunQuery> done_filter_of(const persistence::JobFilter& filter) {
    FinishedRunQuery wanted;
    persistence::JobFilter rest = filter;
    rest.fields.clear();
    if (!rest.is_empty()) {
        return std::nullopt;
    }
    for (const FieldCondition& condition : filter.fields) {
        std::vector<std::string>* const list = list_for(wanted, condition.member);
        if (list == nullptr) {
            return std::nullopt;
        }
        if (condition.match == FieldCondition::Match::equal) {
            list->push_back(std::get<std::string>(condition.value));
        } else if (condition.match == FieldCondition::Match::one_of) {
            *list = std::get<FieldCondition::Texts>(condition.value);
        } else {
            return std::nullopt;
        }
    }
    return wanted;
}

}  // namespace jobstrand::cli
