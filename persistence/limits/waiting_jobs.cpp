#include "persistence/limits/waiting_jobs.hpp"

#include "persistence/rows/job_rows.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/many_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace jobstrand::persistence {

namespace {

// An expiry that never comes: no reset looks at it.
constexpr std::string_view kMark = R"sql(
    UPDATE ACT_RU_JOB {by_id}
    SET LOCK_OWNER_ = ?, LOCK_EXP_TIME_ = ?, REV_ = COALESCE(REV_, 1) + 1
    WHERE ID_ IN (...))sql";

constexpr std::string_view kWaiting = R"sql(
    SELECT GROUP_, ID_
    FROM {table} {by_id}
    WHERE GROUP_ IN (...)
    ORDER BY GROUP_, ID_
    LIMIT ?)sql";

constexpr std::string_view kForget = R"sql(
    {delete_where} {are_they})sql";

constexpr std::string_view kFreeWaiting = R"sql(
    UPDATE ACT_RU_JOB {by_id}
    SET LOCK_OWNER_ = NULL, LOCK_EXP_TIME_ = NULL, REV_ = COALESCE(REV_, 1) + 1
    WHERE ID_ IN (...) AND LOCK_OWNER_ = ?)sql";

constexpr std::array<std::string_view, 2> kWaitingColumns{"GROUP_", "ID_"};

/// Rows of one DELETE: each is a condition, which planners look at one by one.
constexpr std::array<std::size_t, 4> kWaitingPerDelete{64, 16, 4, 1};

// By the whole key, or a job that waits for another group by now would be forgotten there.
std::string forget_statement(const Dialect& dialect, std::string_view table, std::size_t rows) {
    std::string are_they = "(GROUP_ = ? AND ID_ = ?)";
    for (std::size_t i = 1; i < rows; ++i) {
        are_they += " OR (GROUP_ = ? AND ID_ = ?)";
    }
    return fmt::format(
        kForget,
        fmt::arg("delete_where", delete_where(dialect, table)),
        fmt::arg("are_they", are_they)
    );
}

void mark(Transaction& transaction, std::string_view owner, std::span<const WaitingJob> jobs) {
    const Dialect& dialect = transaction.dialect();
    std::vector<std::string_view> ids = ids_of(jobs);
    std::ranges::sort(ids);
    const std::string sql = fmt::format(kMark, fmt::arg("by_id", dialect.by_id));
    const IdListParameters parameters{.before = {owner, dialect.latest_time}, .ids = ids};
    execute_for_ids(transaction, sql, parameters);
}

}  // namespace

void let_wait(Transaction& transaction, const WaitingRoom& room, std::span<const WaitingJob> jobs) {
    mark(transaction, room.mark, jobs);
    const Dialect& dialect = transaction.dialect();
    NewRows rows{
        .table = room.table,
        .columns = kWaitingColumns,
        .insert = dialect.insert_if_absent,
        .behind = dialect.if_absent,
    };
    for (const WaitingJob& job : jobs) {
        rows.values.insert(
            rows.values.end(), {std::string_view(job.group), std::string_view(job.id)}
        );
    }
    insert_all(transaction, rows);
}

std::vector<WaitingJob> waiting_in(
    Transaction& transaction,
    const WaitingRoom& room,
    std::span<const std::string_view> groups,
    std::size_t limit
) {
    const std::string sql = fmt::format(
        kWaiting, fmt::arg("table", room.table), fmt::arg("by_id", transaction.dialect().by_id)
    );
    std::vector<WaitingJob> waiting;
    const IdListParameters parameters{.ids = groups, .after = {static_cast<std::int64_t>(limit)}};
    query_for_ids(transaction, {.sql = sql, .columns = 2}, parameters, [&](const Row& row) {
        waiting.push_back({.group = std::string(row.text(0)), .id = std::string(row.text(1))});
    });
    return waiting;
}

void forget_waiting(
    Transaction& transaction,
    const WaitingRoom& room,
    std::span<const WaitingJob> jobs
) {
    in_parts(jobs, kWaitingPerDelete, [&](std::span<const WaitingJob> part) {
        std::vector<Value> values;
        for (const WaitingJob& job : part) {
            values.insert(values.end(), {std::string_view(job.group), std::string_view(job.id)});
        }
        transaction.execute(
            forget_statement(transaction.dialect(), room.table, part.size()), values
        );
    });
}

std::int64_t free_waiting(
    Transaction& transaction,
    const WaitingRoom& room,
    std::span<const std::string_view> ids
) {
    const std::string sql =
        fmt::format(kFreeWaiting, fmt::arg("by_id", transaction.dialect().by_id));
    return execute_for_ids(transaction, sql, {.ids = ids, .after = {room.mark}});
}

}  // namespace jobstrand::persistence
