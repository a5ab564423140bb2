#include "persistence/jobs/job_queries.hpp"
#include "persistence/sql/id_lists.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace jobstrand::persistence {

namespace {

using schema::JobPlace;

// Each place gives a page of its own, so that no answer is larger than six pages, however many
// instances there are.
constexpr std::string_view kInstances = R"sql(
    SELECT INSTANCE_ FROM ({executable}) EXECUTABLE_
    UNION SELECT INSTANCE_ FROM ({timer}) TIMER_
    UNION SELECT INSTANCE_ FROM ({suspended}) SUSPENDED_
    UNION SELECT INSTANCE_ FROM ({dead}) DEAD_
    UNION SELECT INSTANCE_ FROM ({external}) EXTERNAL_
    UNION SELECT INSTANCE_ FROM (
        SELECT ID_ AS INSTANCE_
        FROM JS_SUSPENSION
        WHERE SCOPE_ = 'instance' AND ID_ > ?
        ORDER BY ID_
        LIMIT ?
    ) WITHOUT_JOBS_
    ORDER BY INSTANCE_
    LIMIT ?)sql";

constexpr std::string_view kInstancesOfPlace = R"sql(
        SELECT DISTINCT PROCESS_INSTANCE_ID_ AS INSTANCE_
        FROM {table}
        WHERE PROCESS_INSTANCE_ID_ > ?
        ORDER BY INSTANCE_
        LIMIT ?)sql";

constexpr std::string_view kJobsOfInstances = R"sql(
    SELECT PROCESS_INSTANCE_ID_, COUNT(*)
    FROM {table}
    WHERE PROCESS_INSTANCE_ID_ IN (...)
    GROUP BY PROCESS_INSTANCE_ID_)sql";

constexpr std::string_view kSuspendedInstances = R"sql(
    SELECT ID_
    FROM JS_SUSPENSION
    WHERE SCOPE_ = 'instance' AND ID_ IN (...))sql";

using Summaries = std::map<std::string, InstanceSummary, std::less<>>;

std::string instances_of_place(JobPlace place) {
    return fmt::format(kInstancesOfPlace, fmt::arg("table", schema::table_of(place)));
}

Summaries read_instances(Connection& connection, std::string_view after, std::size_t limit) {
    const std::string sql = fmt::format(
        kInstances,
        fmt::arg("executable", instances_of_place(JobPlace::executable)),
        fmt::arg("timer", instances_of_place(JobPlace::timer)),
        fmt::arg("suspended", instances_of_place(JobPlace::suspended)),
        fmt::arg("dead", instances_of_place(JobPlace::dead_letter)),
        fmt::arg("external", instances_of_place(JobPlace::external_worker))
    );
    const Value rows = static_cast<std::int64_t>(limit);
    std::vector<Value> parameters;
    for (std::size_t i = 0; i < schema::kJobPlaces.size() + 1; ++i) {
        parameters.insert(parameters.end(), {Value{after}, rows});
    }
    parameters.push_back(rows);
    Summaries page;
    connection.query({.sql = sql, .columns = 1}, parameters, [&](const Row& row) {
        const std::string id(row.text(0));
        page[id].id = id;
    });
    return page;
}

void count_jobs_of(
    Connection& connection,
    JobPlace place,
    std::span<const std::string_view> ids,
    Summaries& page
) {
    const std::string sql =
        fmt::format(kJobsOfInstances, fmt::arg("table", schema::table_of(place)));
    for (const auto& [text, parameters] : cut_id_list(sql, {.ids = ids})) {
        connection.query({.sql = text, .columns = 2}, parameters, [&](const Row& row) {
            if (const auto found = page.find(row.text(0)); found != page.end()) {
                found->second.jobs[place] = row.integer(1);
            }
        });
    }
}

void mark_suspended(
    Connection& connection,
    std::span<const std::string_view> ids,
    Summaries& page
) {
    const auto statements = cut_id_list(kSuspendedInstances, {.ids = ids});
    for (const auto& [text, parameters] : statements) {
        connection.query({.sql = text, .columns = 1}, parameters, [&](const Row& row) {
            if (const auto found = page.find(row.text(0)); found != page.end()) {
                found->second.suspended = true;
            }
        });
    }
}

}  // namespace

std::vector<InstanceSummary>
list_instances(const StoreContext& context, std::string_view after, std::size_t limit) {
    std::vector<InstanceSummary> instances;
    context.runner.read([&](Connection& connection) {
        Summaries page = read_instances(connection, after, limit);
        std::vector<std::string_view> ids;
        for (const auto& [id, summary] : page) {
            ids.emplace_back(id);
        }
        for (const JobPlace place : schema::kJobPlaces) {
            count_jobs_of(connection, place, ids, page);
        }
        mark_suspended(connection, ids, page);
        instances.clear();
        for (auto& [id, summary] : page) {
            instances.push_back(std::move(summary));
        }
    });
    return instances;
}

}  // namespace jobstrand::persistence
