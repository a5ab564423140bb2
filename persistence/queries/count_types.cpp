#include "persistence/queries/job_filter_sql.hpp"
#include "persistence/rows/readable_columns.hpp"
#include "persistence/rows/sql_operator_store.hpp"
#include "schema/ensure.hpp"

#include <fmt/format.h>

#include <string>

namespace jobstrand::persistence {

namespace {

constexpr std::string_view kCountTypes = R"sql(
    SELECT HANDLER_TYPE_, COUNT(*), {locked}, MIN(CREATE_TIME_)
    FROM {table}
    WHERE {condition}
    GROUP BY HANDLER_TYPE_
    ORDER BY COUNT(*) DESC, HANDLER_TYPE_
    LIMIT ?)sql";

}  // namespace

std::vector<TypeCount>
SqlOperatorStore::count_types(schema::JobPlace place, const JobFilter& filter) {
    JOBSTRAND_ENSURE(filter.ids.empty());
    std::vector<TypeCount> counts;
    context_.runner.read([&](Connection& connection) {
        counts.clear();
        Condition condition = condition_of(filter, place, connection.dialect());
        condition.parameters.emplace_back(static_cast<std::int64_t>(kTypesCounted));
        const std::string sql = fmt::format(
            kCountTypes,
            fmt::arg("locked", schema::has_lock(place) ? "COUNT(LOCK_EXP_TIME_)" : "0"),
            fmt::arg("table", schema::table_of(place)),
            fmt::arg("condition", condition.sql)
        );
        connection.query({.sql = sql, .columns = 4}, condition.parameters, [&](const Row& row) {
            counts.push_back({
                .handler_type = std::string(row.text(0)),
                .jobs = row.integer(1),
                .locked = row.integer(2),
                .oldest = time_if_readable(row, 3),
            });
        });
    });
    return counts;
}

namespace {

constexpr std::string_view kCountOwners = R"sql(
    SELECT HANDLER_TYPE_, LOCK_OWNER_, COUNT(*)
    FROM ACT_RU_JOB
    WHERE LOCK_OWNER_ IS NOT NULL {and_near}
    GROUP BY HANDLER_TYPE_, LOCK_OWNER_
    ORDER BY HANDLER_TYPE_, COUNT(*) DESC, LOCK_OWNER_
    LIMIT ?)sql";

}  // namespace

std::vector<OwnerCount> SqlOperatorStore::count_lock_owners(std::string_view up_to) {
    std::vector<OwnerCount> counts;
    std::vector<Value> parameters;
    if (!up_to.empty()) {
        parameters.emplace_back(up_to);
    }
    parameters.emplace_back(static_cast<std::int64_t>(kOwnersCounted));
    const std::string sql =
        fmt::format(kCountOwners, fmt::arg("and_near", up_to.empty() ? "" : "AND ID_ <= ?"));
    context_.runner.read([&](Connection& connection) {
        counts.clear();
        connection.query({.sql = sql, .columns = 3}, parameters, [&](const Row& row) {
            counts.push_back({
                .handler_type = std::string(row.text(0)),
                .lock_owner = std::string(row.text(1)),
                .jobs = row.integer(2),
            });
        });
    });
    return counts;
}

}  // namespace jobstrand::persistence
