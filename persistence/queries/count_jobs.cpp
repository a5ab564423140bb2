#include "persistence/queries/job_filter_sql.hpp"
#include "persistence/rows/sql_operator_store.hpp"
#include "persistence/rows/store_context.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/sql_values.hpp"
#include "persistence/watch_store.hpp"
#include "schema/ensure.hpp"

#include <fmt/format.h>

#include <array>
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
    return context_.runner.read([&](Connection& connection) {
        Condition condition = condition_of(filter, place, connection.dialect());
        condition.parameters.emplace_back(static_cast<std::int64_t>(kTypesCounted));
        const std::string sql = fmt::format(
            kCountTypes,
            fmt::arg("locked", schema::has_lock(place) ? "COUNT(LOCK_EXP_TIME_)" : "0"),
            fmt::arg("table", schema::table_of(place)),
            fmt::arg("condition", condition.sql)
        );
        const Query query{.sql = sql, .columns = 4};
        return all_rows(connection, query, condition.parameters, [](const Row& row) {
            return TypeCount{
                .handler_type = std::string(row.text(0)),
                .jobs = row.integer(1),
                .locked = row.integer(2),
                .oldest = time_if_readable(row, 3),
            };
        });
    });
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
    std::vector<Value> parameters;
    if (!up_to.empty()) {
        parameters.emplace_back(up_to);
    }
    parameters.emplace_back(static_cast<std::int64_t>(kOwnersCounted));
    const std::string sql =
        fmt::format(kCountOwners, fmt::arg("and_near", up_to.empty() ? "" : "AND ID_ <= ?"));
    return context_.runner.read([&](Connection& connection) {
        return all_rows(connection, {.sql = sql, .columns = 3}, parameters, [](const Row& row) {
            return OwnerCount{
                .handler_type = std::string(row.text(0)),
                .lock_owner = std::string(row.text(1)),
                .jobs = row.integer(2),
            };
        });
    });
}

namespace {

constexpr std::string_view kDue = R"sql(
    SELECT COUNT(*)
    FROM (
        SELECT 1 AS ONE_
        FROM ACT_RU_TIMER_JOB
        WHERE DUEDATE_ <= ?
        LIMIT ?
    ) part)sql";

constexpr std::string_view kWaitingJobs = R"sql(
    SELECT COUNT(*)
    FROM (
        SELECT 1 AS ONE_
        FROM {table}
        LIMIT ?
    ) part)sql";

constexpr std::string_view kFree = R"sql(
    SELECT HANDLER_TYPE_, COUNT(*), MIN(SINCE_)
    FROM (
        SELECT HANDLER_TYPE_, COALESCE(DUEDATE_, CREATE_TIME_) AS SINCE_
        FROM {table} {by_id}
        WHERE LOCK_EXP_TIME_ IS NULL
        ORDER BY ID_
        LIMIT ?
    ) part
    GROUP BY HANDLER_TYPE_
    ORDER BY COUNT(*) DESC, HANDLER_TYPE_
    LIMIT ?)sql";

constexpr std::string_view kExternal = R"sql(
    SELECT HANDLER_TYPE_, COUNT(WAITS_), COUNT(*), MIN(SINCE_)
    FROM (
        SELECT HANDLER_TYPE_,
               CASE WHEN LOCK_EXP_TIME_ > ? THEN NULL ELSE 1 END AS WAITS_,
               CASE WHEN LOCK_EXP_TIME_ > ? THEN NULL
                    ELSE COALESCE(DUEDATE_, CREATE_TIME_) END AS SINCE_
        FROM ACT_RU_EXTERNAL_JOB {by_id}
        ORDER BY ID_
        LIMIT ?
    ) part
    GROUP BY HANDLER_TYPE_
    ORDER BY HANDLER_TYPE_)sql";

// Each run finds its job by the key, whatever a database believes about how many there are: a join
// was planned as a look at all jobs.
constexpr std::string_view kLongestRuns = R"sql(
    SELECT ID_, HANDLER_TYPE_, NODE_, SINCE_
    FROM (
        SELECT R.ID_, R.NODE_, R.SINCE_,
               (SELECT J.HANDLER_TYPE_
                FROM ACT_RU_JOB J
                WHERE J.ID_ = R.ID_ AND J.REV_ = R.REV_ AND J.LOCK_OWNER_ = R.NODE_
               ) AS HANDLER_TYPE_
        FROM JS_NODE N
        JOIN JS_RUN R ON R.NODE_ = N.NODE_
        WHERE N.LEASE_EXP_TIME_ >= ?
    ) part
    WHERE HANDLER_TYPE_ IS NOT NULL
    ORDER BY SINCE_, ID_
    LIMIT ?)sql";

Value number_of(std::size_t number) {
    return static_cast<std::int64_t>(number);
}

}  // namespace

std::int64_t WatchStore::count_due(schema::TimePoint until, std::size_t most) {
    return context_.runner.read([&](Connection& connection) {
        return one_number(connection, kDue, {until, number_of(most)});
    });
}

WaitingJobs WatchStore::count_waiting(std::size_t most) {
    return context_.runner.read([&](Connection& connection) {
        const auto rows_of = [&](std::string_view table) {
            const std::string sql = fmt::format(kWaitingJobs, fmt::arg("table", table));
            return one_number(connection, sql, {number_of(most)});
        };
        return WaitingJobs{
            .exclusive = rows_of("JS_WAITING"), .limited = rows_of("JS_LIMIT_WAITING")};
    });
}

std::vector<FreeJobs>
WatchStore::free_by_type(schema::JobPlace place, std::size_t rows, std::size_t types) {
    JOBSTRAND_ENSURE(schema::has_lock(place));
    return context_.runner.read([&](Connection& connection) {
        const std::string sql = fmt::format(
            kFree,
            fmt::arg("table", schema::table_of(place)),
            fmt::arg("by_id", connection.dialect().by_id)
        );
        const std::array parameters{number_of(rows), number_of(types)};
        return all_rows(connection, {.sql = sql, .columns = 3}, parameters, [](const Row& row) {
            return FreeJobs{
                .handler_type = std::string(row.text(0)),
                .jobs = row.integer(1),
                .since = time_if_readable(row, 2),
            };
        });
    });
}

std::vector<ExternalJobs> WatchStore::external_by_type(schema::TimePoint now, std::size_t rows) {
    const std::array<Value, 3> parameters{now, now, number_of(rows)};
    return context_.runner.read([&](Connection& connection) {
        const std::string sql =
            fmt::format(kExternal, fmt::arg("by_id", connection.dialect().by_id));
        return all_rows(connection, {.sql = sql, .columns = 4}, parameters, [](const Row& row) {
            return ExternalJobs{
                .handler_type = std::string(row.text(0)),
                .waiting = row.integer(1),
                .locked = row.integer(2) - row.integer(1),
                .since = time_if_readable(row, 3),
            };
        });
    });
}

std::vector<RunningJob> WatchStore::longest_runs(schema::TimePoint now, std::size_t most) {
    const std::array<Value, 2> parameters{now, number_of(most)};
    const Query query{.sql = kLongestRuns, .columns = 4};
    return context_.runner.read([&](Connection& connection) {
        return all_rows(connection, query, parameters, [&](const Row& row) {
            return RunningJob{
                .id = std::string(row.text(0)),
                .handler_type = std::string(row.text(1)),
                .node = std::string(row.text(2)),
                .since = row.time(3).value_or(now),
            };
        });
    });
}

}  // namespace jobstrand::persistence
