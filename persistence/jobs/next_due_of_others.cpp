#include "persistence/candidates/served_condition.hpp"
#include "persistence/jobs/sql_timer_store.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/sql_time.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace jobstrand::persistence {

namespace {

constexpr std::string_view kNextDueOfOthers = R"sql(
    SELECT DUEDATE_
    FROM ACT_RU_TIMER_JOB {by_due_date}
    WHERE DUEDATE_ <= ? {and_from} AND LOCK_EXP_TIME_ IS NULL AND {others} {and_ours}
    ORDER BY DUEDATE_
    LIMIT 1)sql";

}  // namespace

std::optional<schema::TimePoint> SqlTimerStore::next_due_of_others(
    const ServedJobs& served,
    std::optional<schema::TimePoint> from,
    schema::TimePoint until
) {
    std::optional<schema::TimePoint> due;
    context_.runner.read([&](Connection& connection) {
        BoundStatement others = condition_of_others(served, connection.dialect());
        BoundStatement ours = and_ours_or_served(served, connection.dialect());
        std::vector<Value> parameters{until};
        if (from) {
            parameters.emplace_back(*from);
        }
        std::ranges::move(others.parameters, std::back_inserter(parameters));
        std::ranges::move(ours.parameters, std::back_inserter(parameters));
        const std::string sql = fmt::format(
            kNextDueOfOthers,
            fmt::arg("by_due_date", by_index(connection.dialect(), "JS_IDX_TIMER_DUE")),
            fmt::arg("and_from", from ? "AND DUEDATE_ >= ?" : ""),
            fmt::arg("others", others.sql),
            fmt::arg("and_ours", ours.sql)
        );
        due.reset();
        connection.query({.sql = sql, .columns = 1}, parameters, [&](const Row& row) {
            // What cannot be read is mended when it comes to the front: see next_due().
            due = parse_sql_time(row.text(0));
        });
    });
    return due;
}

}  // namespace jobstrand::persistence
