#include "persistence/history/history_book.hpp"
#include "persistence/history/sql_history_store.hpp"
#include "persistence/sql/dialect.hpp"
#include "schema/limits.hpp"
#include "schema/text/utf8.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

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
        .process_instance_id = job.process_instance_id,
        .root_process_instance_id = job.root_process_instance_id,
        .process_definition_id = job.process_definition_id,
        .job_definition_id = job.job_definition_id,
        .element_id = job.element_id,
        .execution_id = job.execution_id,
        .tenant_id = job.tenant_id,
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
         text_or_null(line.job_definition_id),
         text_or_null(line.handler_type),
         text_or_null(line.element_id),
         text_or_null(line.execution_id),
         text_or_null(line.root_process_instance_id),
         text_or_null(line.process_instance_id),
         text_or_null(line.process_definition_id),
         text_or_null(line.tenant_id),
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

namespace {

// Ids ascend with the time: their order is that of the lines.
constexpr std::string_view kListLines = R"sql(
    SELECT {columns}
    FROM ACT_HI_JOB_LOG {index}
    WHERE {conditions}
    ORDER BY ID_ DESC
    LIMIT ?)sql";

constexpr std::string_view kFindLine = R"sql(
    SELECT {columns}, {bytes_as_text}
    FROM ACT_HI_JOB_LOG
    WHERE ID_ = ?)sql";

constexpr std::string_view kLineColumns =
    "ID_, TIMESTAMP_, JOB_STATE_, REASON_, JOB_ID_, ATTEMPT_, JOB_RETRIES_, JOB_PRIORITY_, "
    "JOB_DUEDATE_, JOB_DEF_TYPE_, PROCESS_DEF_ID_, JOB_DEF_ID_, ACT_ID_, EXECUTION_ID_, "
    "ROOT_PROC_INST_ID_, PROCESS_INSTANCE_ID_, TENANT_ID_, HOSTNAME_, DURATION_, "
    "JOB_EXCEPTION_MSG_";
constexpr std::size_t kLineColumnCount = 20;

/// Where a clock was set back, ids are ahead of their lines' times.
constexpr schema::Duration kIdSlack = std::chrono::hours(24);

schema::JobEvent event_in(const Row& row, std::size_t column) {
    return static_cast<schema::JobEvent>(row.integer(column));
}

JobLogLine line_in(const Row& row) {
    JobLogLine line;
    line.id = row.text(0);
    line.time = row.time(1).value_or(schema::TimePoint{});
    line.event = event_in(row, 2);
    line.reason = row.text(3);
    line.job = row.text(4);
    if (!row.is_null(5)) {
        line.attempt = static_cast<int>(row.integer(5));
    }
    line.retries = static_cast<int>(row.integer(6));
    line.priority = row.integer(7);
    line.due_date = row.time(8);
    line.handler_type = row.text(9);
    line.process_definition_id = row.text(10);
    line.job_definition_id = row.text(11);
    line.element_id = row.text(12);
    line.execution_id = row.text(13);
    line.root_process_instance_id = row.text(14);
    line.process_instance_id = row.text(15);
    line.tenant_id = row.text(16);
    line.node = row.text(17);
    if (!row.is_null(18)) {
        line.duration = schema::Duration(row.integer(18));
    }
    line.message = row.text(19);
    return line;
}

void add_events(HistoryConditions& conditions, const std::vector<schema::JobEvent>& events) {
    std::vector<int> numbers;
    for (const schema::JobEvent event : events) {
        numbers.push_back(static_cast<int>(event));
    }
    if (!numbers.empty()) {
        conditions.add(fmt::format("JOB_STATE_ IN ({})", fmt::join(numbers, ", ")));
    }
}

}  // namespace

std::vector<JobLogLine>
SqlHistoryStore::job_log(const JobLogQuery& filter, std::string_view behind, std::size_t limit) {
    HistoryConditions conditions;
    conditions.add_equal("JOB_ID_", filter.job);
    if (!behind.empty()) {
        conditions.add("ID_ < ?", behind);
    }
    // Where a period begins, the reading ends.
    const std::string first = filter.from ? first_id_of(*filter.from) : std::string();
    const std::string end = filter.before ? first_id_of(*filter.before + kIdSlack) : std::string();
    if (!first.empty()) {
        conditions.add("ID_ >= ?", std::string_view(first));
    }
    if (!end.empty()) {
        conditions.add("ID_ < ?", std::string_view(end));
    }
    conditions.add_period("TIMESTAMP_", filter.from, filter.before);
    conditions.add_equal("JOB_DEF_TYPE_", filter.handler_type);
    conditions.add_equal("PROCESS_DEF_ID_", filter.process_definition_id);
    conditions.add_equal("PROCESS_INSTANCE_ID_", filter.process_instance_id);
    conditions.add_equal("ACT_ID_", filter.element_id);
    conditions.add_equal("TENANT_ID_", filter.tenant_id);
    conditions.add_equal("HOSTNAME_", filter.node);
    conditions.add_equal("REASON_", filter.reason);
    add_events(conditions, filter.events);
    return runner_.read([&](Connection& connection) {
        const Dialect& dialect = connection.dialect();
        const std::string sql = fmt::format(
            kListLines,
            fmt::arg("columns", kLineColumns),
            fmt::arg(
                "index",
                filter.job.empty() ? std::string(dialect.by_id)
                                   : by_index(dialect, "JS_IDX_JOB_LOG_JOB")
            ),
            fmt::arg("conditions", conditions.text())
        );
        std::vector<Value> parameters = conditions.parameters();
        parameters.emplace_back(static_cast<std::int64_t>(limit));
        const Query query{.sql = sql, .columns = kLineColumnCount};
        return all_rows(connection, query, parameters, line_in);
    });
}

std::optional<JobLogLine> SqlHistoryStore::find_log_line(std::string_view id) {
    return runner_.read([&](Connection& connection) {
        const Dialect& dialect = connection.dialect();
        const std::string sql = fmt::format(
            kFindLine,
            fmt::arg("columns", kLineColumns),
            fmt::arg("bytes_as_text", dialect.bytes_as_text)
        );
        const Query query{.sql = sql, .columns = kLineColumnCount + 1};
        return one_row(connection, query, {id}, [&](const Row& row) {
            JobLogLine line = line_in(row);
            if (!row.is_null(kLineColumnCount)) {
                line.details = dialect.text_of_bytes(row.text(kLineColumnCount));
            }
            return line;
        });
    });
}

}  // namespace jobstrand::persistence
