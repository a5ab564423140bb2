#include "persistence/history/history_book.hpp"
#include "persistence/history/sql_history_store.hpp"
#include "persistence/sql/db_error.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/many_rows.hpp"
#include "schema/text/time_text.hpp"
#include "schema/text/utf8.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace jobstrand::persistence {

namespace {

constexpr std::string_view kOpenTable = "ACT_RU_INCIDENT";

constexpr std::string_view kResolve = R"sql(
    INSERT INTO ACT_HI_INCIDENT ({columns}, END_TIME_, INCIDENT_STATE_, RESOLUTION_)
    SELECT {columns}, ?, {state}, '{resolution}'
    FROM ACT_RU_INCIDENT {by_id}
    WHERE {jobs}
    {for_update})sql";

constexpr std::string_view kDeleteOpen = R"sql({delete_where} CONFIGURATION_ IN (...))sql";

// A range is found by its key anyway, and in this form without a further look at each row.
constexpr std::string_view kDeleteRange = "DELETE FROM ACT_RU_INCIDENT WHERE {}";

constexpr std::string_view kCountRange = "SELECT COUNT(*) FROM ACT_RU_INCIDENT WHERE {}";

constexpr std::string_view kListed = "CONFIGURATION_ IN (...)";
constexpr std::string_view kInRange = "CONFIGURATION_ > ? AND CONFIGURATION_ <= ?";
constexpr std::string_view kOfThose = "{} AND CONFIGURATION_ IN ({})";

constexpr std::array<std::string_view, 16> kIncidentColumns{
    "ID_",
    "CONFIGURATION_",
    "INCIDENT_TIMESTAMP_",
    "INCIDENT_TYPE_",
    "REASON_",
    "INCIDENT_MSG_",
    "HANDLER_TYPE_",
    "PROC_DEF_ID_",
    "JOB_DEF_ID_",
    "ACTIVITY_ID_",
    "EXECUTION_ID_",
    "PROC_INST_ID_",
    "ROOT_PROC_INST_ID_",
    "CALLING_INSTANCES_",
    "TENANT_ID_",
    "HOSTNAME_",
};

/// INCIDENT_STATE_ of the past, as Camunda numbers them.
constexpr int kResolvedState = 1;
constexpr int kDeletedState = 2;

/// Borrows its texts, and `calling`: those of the instances, as the column has them.
void append_incident(
    std::vector<Value>& values,
    const Incident& incident,
    std::string_view calling,
    const Dialect& dialect
) {
    values.insert(
        values.end(),
        {std::string_view(incident.id),
         std::string_view(incident.job),
         storable(incident.time, dialect),
         std::string_view(incident.type),
         text_or_null(incident.cause),
         text_or_null(incident.message),
         text_or_null(incident.handler_type),
         text_or_null(incident.process_definition_id),
         text_or_null(incident.job_definition_id),
         text_or_null(incident.element_id),
         text_or_null(incident.execution_id),
         text_or_null(incident.process_instance_id),
         text_or_null(incident.root_process_instance_id),
         text_or_null(calling),
         text_or_null(incident.tenant_id),
         text_or_null(incident.node)}
    );
}

std::string overwriting(const Dialect& dialect) {
    std::vector<std::string> assignments{"ANNOTATION_ = NULL"};
    for (const std::string_view column : kIncidentColumns) {
        if (column != "CONFIGURATION_") {
            const std::string value = fmt::format(fmt::runtime(dialect.new_value), column);
            assignments.push_back(fmt::format("{} = {}", column, value));
        }
    }
    return fmt::format(
        "{} {}", on_existing(dialect, "CONFIGURATION_"), fmt::join(assignments, ", ")
    );
}

std::string resolving(std::string_view jobs, IncidentEnd end, const Dialect& dialect) {
    const std::string columns =
        fmt::format("{}, ANNOTATION_, REV_", fmt::join(kIncidentColumns, ", "));
    return fmt::format(
        kResolve,
        fmt::arg("columns", columns),
        fmt::arg("state", end == IncidentEnd::removed ? kDeletedState : kResolvedState),
        fmt::arg("resolution", name_of(end)),
        fmt::arg("by_id", dialect.by_id),
        fmt::arg("jobs", jobs),
        fmt::arg("for_update", dialect.for_update)
    );
}

void count_resolved(Transaction& transaction, HistoryBook& book, std::int64_t closed) {
    transaction.on_commit([&book, closed] { book.resolved += static_cast<std::uint64_t>(closed); });
}

}  // namespace

std::string_view name_of(IncidentEnd end) {
    switch (end) {
        case IncidentEnd::requeued:
            return "requeued";
        case IncidentEnd::removed:
            return "removed";
        case IncidentEnd::by_hand:
            return "by hand";
    }
    return "unknown";
}

void open_incidents(
    Transaction& transaction,
    HistoryBook& book,
    const std::shared_ptr<std::vector<Incident>>& incidents
) {
    if (incidents->empty()) {
        return;
    }
    std::ranges::sort(*incidents, {}, &Incident::job);
    NewRows rows{.table = kOpenTable, .columns = kIncidentColumns};
    std::vector<std::string> calling;
    calling.reserve(incidents->size());
    for (Incident& incident : *incidents) {
        incident.id = book.next_id(incident.time);
        incident.cause_id = incident.root_cause_id = incident.id;
        calling.push_back(fmt::format("{}", fmt::join(incident.calling_instances, "\n")));
        append_incident(rows.values, incident, calling.back(), transaction.dialect());
    }
    const std::string behind = overwriting(transaction.dialect());
    rows.behind = behind;
    insert_all(transaction, rows);
    transaction.on_commit([&book, incidents] {
        book.opened += incidents->size();
        if (book.on_incident()) {
            std::ranges::for_each(*incidents, book.on_incident());
        }
    });
}

std::int64_t close_incidents(
    Transaction& transaction,
    HistoryBook& book,
    std::span<const std::string_view> jobs,
    IncidentEnd end,
    schema::TimePoint now
) {
    const Dialect& dialect = transaction.dialect();
    const std::string resolve = resolving(kListed, end, dialect);
    const std::string remove = delete_from(dialect, kOpenTable, kDeleteOpen);
    const std::int64_t closed =
        execute_for_ids(transaction, resolve, {.before = {storable(now, dialect)}, .ids = jobs});
    if (closed > 0) {
        execute_for_ids(transaction, remove, {.ids = jobs});
        count_resolved(transaction, book, closed);
    }
    return closed;
}

std::int64_t close_incidents_in(
    Transaction& transaction,
    HistoryBook& book,
    const IncidentRange& range,
    IncidentEnd end,
    schema::TimePoint now
) {
    const Dialect& dialect = transaction.dialect();
    const std::vector<Value> all{range.behind, range.last};
    std::vector<Value> those = all;
    those.insert(those.end(), range.jobs.parameters.begin(), range.jobs.parameters.end());
    std::vector<Value> to_resolve{storable(now, dialect)};
    to_resolve.insert(to_resolve.end(), those.begin(), those.end());
    const std::string of_those = fmt::format(kOfThose, kInRange, range.jobs.sql);
    const std::int64_t closed = transaction.execute(resolving(of_those, end, dialect), to_resolve);
    if (closed == 0) {
        return 0;
    }
    // Most often there are no others, from which they would have to be told once more.
    const bool are_all = one_number(transaction, fmt::format(kCountRange, kInRange), all) == closed;
    const std::int64_t deleted = transaction.execute(
        fmt::format(kDeleteRange, are_all ? kInRange : std::string_view(of_those)),
        are_all ? all : those
    );
    if (deleted != closed) {
        throw DbError(
            DbErrorKind::conflict,
            fmt::format("{} incidents were resolved, and {} are gone", closed, deleted)
        );
    }
    count_resolved(transaction, book, closed);
    return closed;
}

namespace {

/// Characters of a message; the whole stands in the incident.
constexpr std::size_t kMessageOfNotice = 500;

/// As a JSON string. What is stored is UTF-8.
std::string quoted(std::string_view text) {
    std::string json = "\"";
    for (const char byte : text) {
        if (byte == '"' || byte == '\\') {
            json += '\\';
            json += byte;
        } else if (static_cast<unsigned char>(byte) < ' ') {
            json += fmt::format("\\u{:04x}", static_cast<unsigned char>(byte));
        } else {
            json += byte;
        }
    }
    return json += '"';
}

std::string json_of_incident(const Incident& incident) {
    return fmt::format(
        R"({{"id":{},"jobId":{},"time":{},"cause":{},"handlerType":{},"message":{}}})",
        quoted(incident.id),
        quoted(incident.job),
        quoted(schema::format_instant(incident.time)),
        quoted(incident.cause),
        quoted(incident.handler_type),
        quoted(schema::first_characters(incident.message, kMessageOfNotice))
    );
}

}  // namespace

schema::Job notice_of(std::span<const Incident> incidents, std::string_view target) {
    std::string list;
    for (const Incident& incident :
         incidents.first(std::min(incidents.size(), kIncidentsOfNotice))) {
        list += (list.empty() ? "" : ",") + json_of_incident(incident);
    }
    schema::Job job;
    job.category = kNoticeCategory;
    job.handler_type = "http";
    job.exclusive = false;
    job.payload = fmt::format(
        R"({{"target":{},"event":"incidents","count":{},"incidents":[{}]}})",
        quoted(target),
        incidents.size(),
        list
    );
    return job;
}

}  // namespace jobstrand::persistence
