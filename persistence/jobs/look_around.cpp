#include "persistence/candidates/served_condition.hpp"
#include "persistence/jobs/next_due.hpp"
#include "persistence/rows/job_row.hpp"
#include "persistence/rows/sql_executor_store.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/sql_time.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

namespace {

// Each of these ends at the first row that it finds. Of timers only those that are due can be
// locked. The row 0 of the claims is always there.
constexpr std::string_view kView = R"sql(
    SELECT
        {acquirable},
        (SELECT DUEDATE_
        FROM ACT_RU_TIMER_JOB
        WHERE DUEDATE_ IS NOT NULL AND LOCK_EXP_TIME_ IS NULL {and_ours}
        ORDER BY DUEDATE_
        LIMIT 1),
        (SELECT 1 FROM ACT_RU_JOB LIMIT 1),
        COALESCE(
            (SELECT 1 FROM ACT_RU_EXTERNAL_JOB LIMIT 1),
            (SELECT 1 FROM JS_EXCLUSIVE LIMIT 1),
            (SELECT 1 FROM JS_CLAIM WHERE ID_ > 0 LIMIT 1),
            (SELECT 1
            FROM ACT_RU_TIMER_JOB {by_due_date}
            WHERE DUEDATE_ <= ?
            ORDER BY DUEDATE_
            LIMIT 1)
        ),
        COALESCE((SELECT 1 FROM JS_LIMIT LIMIT 1), (SELECT 1 FROM JS_LIMIT_WAITING LIMIT 1)),
        COALESCE((SELECT 1 FROM JS_UNIQUE LIMIT 1), (SELECT 1 FROM JS_LIMITED LIMIT 1)),
        (SELECT MIN(LEASE_EXP_TIME_) FROM JS_NODE WHERE STATE_ <> 'lost'))sql";

constexpr std::string_view kAcquirable = R"sql((SELECT 1
        FROM ACT_RU_JOB {by_id}
        WHERE LOCK_EXP_TIME_ IS NULL AND {served}
        ORDER BY ID_
        LIMIT 1))sql";

BoundStatement acquirable(const ServedJobs& served, const Dialect& dialect) {
    if (served.types.empty()) {
        return {.sql = "NULL", .parameters = {}};
    }
    BoundStatement condition = condition_of(served, dialect);
    condition.sql = fmt::format(
        kAcquirable, fmt::arg("by_id", dialect.by_id), fmt::arg("served", condition.sql)
    );
    return condition;
}

}  // namespace

IdleView SqlExecutorStore::look_around(const ServedJobs& served, schema::TimePoint now) {
    IdleView view;
    context_.runner.read([&](Connection& connection) {
        const Dialect& dialect = connection.dialect();
        auto [jobs, values] = acquirable(served, dialect);
        const BoundStatement ours = and_ours_or_served(served, dialect);
        values.insert(values.end(), ours.parameters.begin(), ours.parameters.end());
        values.emplace_back(now);
        const std::string sql = fmt::format(
            kView,
            fmt::arg("acquirable", jobs),
            fmt::arg("and_ours", ours.sql),
            fmt::arg("by_due_date", by_index(dialect, "JS_IDX_TIMER_DUE"))
        );
        connection.query({.sql = sql, .columns = 7}, values, [&](const Row& row) {
            const FirstDue due = row.is_null(1) ? FirstDue{} : first_due_in(row, 1, dialect);
            view = {
                .at = now,
                .has_acquirable = !row.is_null(0),
                .next_due = due.time,
                .are_timers_sound = !due.is_odd,
                .has_executable = !row.is_null(2),
                .has_locks = !row.is_null(3),
                .has_limits = !row.is_null(4),
                .has_leftovers = !row.is_null(5),
                .first_lease_end = parse_sql_time(row.text(6))};
        });
    });
    return view;
}

}  // namespace jobstrand::persistence
