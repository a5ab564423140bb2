#include "persistence/queries/job_filter_sql.hpp"
#include "persistence/queries/job_queries.hpp"
#include "persistence/rows/job_row.hpp"
#include "schema/ensure.hpp"

#include <fmt/format.h>

namespace jobstrand::persistence {

namespace {

using schema::Job;

// Databases differ in where they sort what has no time, so those without one are a list of their
// own behind the others. An index serves each.
constexpr std::string_view kDated = R"sql(
    SELECT {columns}
    FROM ACT_RU_DEADLETTER_JOB
    WHERE {behind} AND {condition}
    ORDER BY FAILED_TIME_ DESC, ID_ DESC
    LIMIT ?)sql";

constexpr std::string_view kUndated = R"sql(
    SELECT {columns}
    FROM ACT_RU_DEADLETTER_JOB
    WHERE FAILED_TIME_ IS NULL AND {behind} AND {condition}
    ORDER BY ID_ DESC
    LIMIT ?)sql";

/// Which part of the list: its statement, and what stands behind the mark.
struct ListPart {
    std::string_view sql;
    std::string_view behind;
    std::vector<Value> parameters;
};

ListPart dated_behind(const std::optional<DeadLetterMark>& mark) {
    if (!mark) {
        return {.sql = kDated, .behind = "FAILED_TIME_ IS NOT NULL", .parameters = {}};
    }
    const schema::TimePoint time = mark->failed_time.value();
    return {
        .sql = kDated,
        .behind = "FAILED_TIME_ <= ? AND (FAILED_TIME_ < ? OR ID_ < ?)",
        .parameters = {time, time, std::string_view(mark->id)},
    };
}

ListPart undated_behind(const std::optional<DeadLetterMark>& mark) {
    if (!mark || mark->failed_time) {
        return {.sql = kUndated, .behind = "1 = 1", .parameters = {}};
    }
    return {.sql = kUndated, .behind = "ID_ < ?", .parameters = {std::string_view(mark->id)}};
}

/// Rows that no id finds are left out; the list in the order of the ids names them.
void append_part(
    Connection& connection,
    ListPart part,
    const JobFilter& filter,
    std::size_t limit,
    std::vector<Job>& jobs
) {
    constexpr auto kPlace = schema::JobPlace::dead_letter;
    const Condition condition = condition_of(filter, kPlace, connection.dialect());
    const std::string sql = fmt::format(
        fmt::runtime(part.sql),
        fmt::arg("columns", selected_of(kPlace, connection.dialect())),
        fmt::arg("behind", part.behind),
        fmt::arg("condition", condition.sql)
    );
    std::vector<Value>& parameters = part.parameters;
    parameters.insert(parameters.end(), condition.parameters.begin(), condition.parameters.end());
    parameters.emplace_back(static_cast<std::int64_t>(limit - jobs.size()));
    const RowReader append = append_to(jobs, kPlace);
    const std::size_t columns = fields_of(kPlace).size();
    connection.query({.sql = sql, .columns = columns}, parameters, [&](const Row& row) {
        if (!is_nameless(row)) {
            append(row);
        }
    });
}

}  // namespace

std::vector<Job> newest_dead_letters(
    const StoreContext& context,
    const JobFilter& filter,
    const std::optional<DeadLetterMark>& behind,
    std::size_t limit
) {
    JOBSTRAND_ENSURE(filter.ids.empty());
    std::vector<Job> jobs;
    context.runner.read([&](Connection& connection) {
        jobs.clear();
        if (!behind || behind->failed_time) {
            append_part(connection, dated_behind(behind), filter, limit, jobs);
        }
        if (jobs.size() < limit) {
            append_part(connection, undated_behind(behind), filter, limit, jobs);
        }
    });
    return jobs;
}

}  // namespace jobstrand::persistence
