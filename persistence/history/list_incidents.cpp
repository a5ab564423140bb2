#include "persistence/history/history_book.hpp"
#include "persistence/history/sql_history_store.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/many_rows.hpp"
#include "schema/limits.hpp"
#include "schema/text/column_text.hpp"
#include "schema/text/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace jobstrand::persistence {

namespace {

constexpr std::string_view kListOpen = R"sql(
    SELECT {columns}
    FROM ACT_RU_INCIDENT {by_id}
    WHERE {conditions}
    ORDER BY CONFIGURATION_
    LIMIT ?)sql";

constexpr std::string_view kListResolved = R"sql(
    SELECT {columns}, END_TIME_, RESOLUTION_
    FROM ACT_HI_INCIDENT {index}
    WHERE {conditions}
    ORDER BY ID_ DESC
    LIMIT ?)sql";

constexpr std::string_view kCountOpen = "SELECT COUNT(*) FROM ACT_RU_INCIDENT";

constexpr std::string_view kFindOpen = R"sql(
    SELECT CONFIGURATION_
    FROM ACT_RU_INCIDENT {by_id}
    WHERE CONFIGURATION_ IN (...)
    ORDER BY CONFIGURATION_
    {for_update})sql";

constexpr std::string_view kAnnotate = R"sql(
    UPDATE ACT_RU_INCIDENT {by_id}
    SET ANNOTATION_ = ?, REV_ = REV_ + 1
    WHERE CONFIGURATION_ IN (...))sql";

constexpr std::string_view kShownColumns =
    "ID_, CONFIGURATION_, INCIDENT_TIMESTAMP_, INCIDENT_TYPE_, REASON_, INCIDENT_MSG_, "
    "HANDLER_TYPE_, PROC_DEF_ID_, JOB_DEF_ID_, ACTIVITY_ID_, EXECUTION_ID_, PROC_INST_ID_, "
    "TENANT_ID_, HOSTNAME_, ANNOTATION_, ROOT_PROC_INST_ID_, CALLING_INSTANCES_";
constexpr std::size_t kShownColumnCount = 17;

/// Of the instance itself, or of one that it has called.
constexpr std::string_view kOfInstance =
    "(PROC_INST_ID_ = ? OR ROOT_PROC_INST_ID_ = ? OR {position_in}({calling}, ?) > 0)";

/// Between the id of an incident and how many calls above it stands whose incident it is too.
constexpr char kBeforeCalls = '.';

Incident incident_in(const Row& row, bool is_open) {
    Incident incident;
    incident.id = row.text(0);
    incident.job = row.text(1);
    incident.time = row.time(2).value_or(schema::TimePoint{});
    incident.type = row.text(3);
    incident.cause = row.text(4);
    incident.message = row.text(5);
    incident.handler_type = row.text(6);
    incident.process_definition_id = row.text(7);
    incident.job_definition_id = row.text(8);
    incident.element_id = row.text(9);
    incident.execution_id = row.text(10);
    incident.process_instance_id = row.text(11);
    incident.tenant_id = row.text(12);
    incident.node = row.text(13);
    incident.annotation = row.text(14);
    incident.root_process_instance_id = row.text(15);
    incident.calling_instances = schema::names_in(row.text(16));
    incident.cause_id = incident.root_cause_id = incident.id;
    if (!is_open) {
        incident.end = row.time(kShownColumnCount);
        incident.resolution = row.text(kShownColumnCount + 1);
    }
    return incident;
}

/// From the instance of the job up to the root.
std::vector<std::string> callers_of(const Incident& incident) {
    std::vector<std::string> callers = incident.calling_instances;
    const std::string& root = incident.root_process_instance_id;
    const bool is_named =
        callers.empty() ? root == incident.process_instance_id : root == callers.front();
    if (!root.empty() && !is_named) {
        callers.insert(callers.begin(), root);
    }
    callers.push_back(incident.process_instance_id);
    std::ranges::reverse(callers);
    return callers;
}

/// The incident that a calling instance has because of this one: Camunda stores it, here it is
/// known from who calls whom. Which element and definition of the caller it is, nobody has said.
Incident calling_incident(Incident incident, const std::string& instance) {
    const std::vector<std::string> callers = callers_of(incident);
    const auto found = std::ranges::find(callers, instance);
    if (found == callers.begin() || found == callers.end()) {
        return incident;
    }
    const auto calls = found - callers.begin();
    const std::string own = incident.id;
    const auto id_above = [&](std::ptrdiff_t count) {
        return count == 0 ? own : fmt::format("{}{}{}", own, kBeforeCalls, count);
    };
    incident.id = id_above(calls);
    incident.cause_id = id_above(calls - 1);
    incident.cause_instance = *std::prev(found);
    incident.root_cause_instance = std::move(incident.process_instance_id);
    incident.process_instance_id = instance;
    incident.process_definition_id.clear();
    incident.job_definition_id.clear();
    incident.element_id.clear();
    incident.execution_id.clear();
    return incident;
}

/// `line` is the instance between two line breaks, which the conditions borrow.
HistoryConditions conditions_of(
    const IncidentQuery& filter,
    std::string_view behind,
    std::string_view line,
    const Dialect& dialect
) {
    HistoryConditions conditions;
    conditions.add_equal("CONFIGURATION_", filter.job);
    if (!behind.empty()) {
        const std::string_view id = behind.substr(0, behind.find(kBeforeCalls));
        conditions.add(
            filter.is_open ? "CONFIGURATION_ > ?" : "ID_ < ?", filter.is_open ? behind : id
        );
    }
    conditions.add_period("INCIDENT_TIMESTAMP_", filter.from, filter.before);
    conditions.add_equal("HANDLER_TYPE_", filter.handler_type);
    conditions.add_equal("PROC_DEF_ID_", filter.process_definition_id);
    if (!filter.process_instance_id.empty()) {
        const std::string calling =
            fmt::format(fmt::runtime(dialect.between_breaks), "CALLING_INSTANCES_");
        conditions.add(
            fmt::format(
                kOfInstance,
                fmt::arg("position_in", dialect.position_in),
                fmt::arg("calling", calling)
            ),
            {filter.process_instance_id, filter.process_instance_id, line}
        );
    }
    conditions.add_equal("ROOT_PROC_INST_ID_", filter.root_process_instance_id);
    conditions.add_equal("REASON_", filter.cause);
    conditions.add_equal("TENANT_ID_", filter.tenant_id);
    return conditions;
}

std::string question_of(
    const IncidentQuery& filter,
    const HistoryConditions& conditions,
    const Dialect& dialect
) {
    return fmt::format(
        fmt::runtime(filter.is_open ? kListOpen : kListResolved),
        fmt::arg("columns", kShownColumns),
        fmt::arg("by_id", dialect.by_id),
        fmt::arg(
            "index",
            filter.job.empty() ? std::string(dialect.by_id)
                               : by_index(dialect, "JS_IDX_INCIDENT_JOB")
        ),
        fmt::arg("conditions", conditions.text())
    );
}

/// Changes the open incidents of jobs page by page. Returns for each whether there was one.
template <typename Change>
std::vector<JobAnswer> change_open(
    TransactionRunner& runner,
    std::span<const std::string> jobs,
    const TransactionRunner::WasCommitted& was_committed,
    const Change& change
) {
    const std::set<std::string_view> unique(jobs.begin(), jobs.end());
    const std::vector<std::string_view> sorted(unique.begin(), unique.end());
    std::set<std::string, std::less<>> all;
    for (std::span<const std::string_view> rest = sorted; !rest.empty();) {
        const auto page = rest.first(std::min(rest.size(), schema::limits::kJobsPerTransaction));
        std::set<std::string, std::less<>> found;
        runner.run(
            [&](Transaction& transaction) {
                found.clear();
                const std::string sql = fmt::format(
                    kFindOpen,
                    fmt::arg("by_id", transaction.dialect().by_id),
                    fmt::arg("for_update", transaction.dialect().for_update)
                );
                const auto possible = possible_ids(page, transaction.dialect());
                const Query query{.sql = sql, .columns = 1};
                query_for_ids(transaction, query, {.ids = possible}, [&](const Row& row) {
                    found.emplace(row.text(0));
                });
                const std::vector<std::string_view> ids(found.begin(), found.end());
                change(transaction, std::span(ids));
            },
            was_committed
        );
        all.merge(found);
        rest = rest.subspan(page.size());
    }
    std::vector<JobAnswer> answers;
    for (const std::string& job : jobs) {
        answers.push_back(all.contains(job) ? JobAnswer::done : JobAnswer::not_found);
    }
    return answers;
}

}  // namespace

std::vector<Incident> SqlHistoryStore::incidents(
    const IncidentQuery& filter,
    std::string_view behind,
    std::size_t limit
) {
    const std::string line = fmt::format("\n{}\n", filter.process_instance_id);
    return runner_.read([&](Connection& connection) {
        const HistoryConditions conditions =
            conditions_of(filter, behind, line, connection.dialect());
        std::vector<Value> parameters = conditions.parameters();
        parameters.emplace_back(static_cast<std::int64_t>(limit));
        return all_rows(
            connection,
            {.sql = question_of(filter, conditions, connection.dialect()),
             .columns = filter.is_open ? kShownColumnCount : kShownColumnCount + 2},
            parameters,
            [&](const Row& row) {
                Incident found = incident_in(row, filter.is_open);
                return filter.process_instance_id.empty()
                           ? std::move(found)
                           : calling_incident(std::move(found), filter.process_instance_id);
            }
        );
    });
}

std::int64_t SqlHistoryStore::count_open_incidents() {
    return runner_.read([](Connection& connection) { return one_number(connection, kCountOpen); });
}

std::vector<JobAnswer>
SqlHistoryStore::annotate_incidents(std::span<const std::string> jobs, std::string_view text) {
    const std::string note =
        schema::first_characters(text, schema::limits::kExceptionMessageLength);
    return change_open(runner_, jobs, run_again, [&](Transaction& transaction, auto ids) {
        const std::string sql =
            fmt::format(kAnnotate, fmt::arg("by_id", transaction.dialect().by_id));
        const IdListParameters parameters{.before = {text_or_null(note)}, .ids = ids};
        execute_for_ids(transaction, sql, parameters);
    });
}

std::vector<JobAnswer>
SqlHistoryStore::resolve_incidents(std::span<const std::string> jobs, schema::TimePoint now) {
    // In doubt, what is open is resolved, and what was resolved counts as not found.
    return change_open(runner_, jobs, run_again, [&](Transaction& transaction, auto ids) {
        (void)close_incidents(transaction, book_, ids, IncidentEnd::by_hand, now);
    });
}

}  // namespace jobstrand::persistence
