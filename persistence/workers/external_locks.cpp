#include "persistence/rows/ids_of.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/id_lists.hpp"
#include "persistence/workers/held_rows.hpp"
#include "persistence/workers/sql_worker_store.hpp"
#include "persistence/workers/worker_groups.hpp"
#include "schema/limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace jobstrand::persistence {

namespace {

using schema::Job;

// REV_ stays, so that a revision that the worker knows goes on to hold.
constexpr std::string_view kExtend = R"sql(
    UPDATE ACT_RU_EXTERNAL_JOB {by_id}
    SET LOCK_EXP_TIME_ = ?
    WHERE ID_ IN (...))sql";

constexpr std::string_view kRelease = R"sql(
    UPDATE ACT_RU_EXTERNAL_JOB {by_id}
    SET LOCK_OWNER_ = NULL, LOCK_EXP_TIME_ = NULL, REV_ = REV_ + 1
    WHERE ID_ IN (...))sql";

// There is no index on the locks: each claim would have to write it.
constexpr std::string_view kOfWorker = R"sql(
    SELECT ID_
    FROM ACT_RU_EXTERNAL_JOB {by_id}
    WHERE {behind} AND LOCK_OWNER_ = ?{of_tenant}
    ORDER BY ID_
    LIMIT ?)sql";

/// Runs a statement about rows that this transaction has read for update.
void update(
    Transaction& transaction,
    std::string_view sql,
    const std::vector<Value>& before,
    const std::vector<Job>& rows
) {
    const std::string native =
        fmt::format(fmt::runtime(sql), fmt::arg("by_id", transaction.dialect().by_id));
    const std::vector<std::string_view> ids = ids_of(rows);
    for (const auto& [text, values] : cut_id_list(native, {.before = before, .ids = ids})) {
        transaction.execute(text, values);
    }
}

std::vector<HeldJob> page_of_worker(
    Connection& connection,
    std::string_view worker,
    const std::optional<std::string_view>& tenant,
    std::string_view behind
) {
    const std::string sql = fmt::format(
        kOfWorker,
        fmt::arg("by_id", connection.dialect().by_id),
        fmt::arg("behind", ids_behind(behind)),
        fmt::arg("of_tenant", tenant ? " AND COALESCE(TENANT_ID_, '') = ?" : "")
    );
    std::vector<Value> parameters{behind, worker};
    if (tenant) {
        parameters.emplace_back(*tenant);
    }
    parameters.emplace_back(static_cast<std::int64_t>(schema::limits::kJobsPerTransaction));
    std::vector<HeldJob> jobs;
    connection.query({.sql = sql, .columns = 1}, parameters, [&](const Row& row) {
        jobs.push_back({.id = std::string(row.text(0))});
    });
    return jobs;
}

}  // namespace

std::vector<WorkerAnswer> SqlWorkerStore::extend_external(
    const LockClaim& claim,
    std::span<const HeldJob> jobs,
    schema::TimePoint now
) {
    const auto extend = [&](Transaction& transaction, const std::vector<Job>& rows, Twins&) {
        // The groups first, so that the lock of none ends before that of its job.
        extend_groups_of(transaction, claim, context_.exclusive_over, rows);
        update(transaction, kExtend, {claim.until}, rows);
    };
    return write_held(context_, claim.owner, jobs, now, Hold::goes_on, extend);
}

std::vector<WorkerAnswer> SqlWorkerStore::release_external(
    std::string_view worker,
    std::span<const HeldJob> jobs,
    schema::TimePoint now
) {
    const auto release = [&](Transaction& transaction, const std::vector<Job>& rows, Twins&) {
        update(transaction, kRelease, {}, rows);
    };
    return write_held(context_, worker, jobs, now, Hold::ends, release);
}

std::int64_t SqlWorkerStore::release_all_external(
    std::string_view worker,
    const std::optional<std::string_view>& tenant,
    schema::TimePoint now
) {
    std::int64_t released = 0;
    std::vector<HeldJob> page;
    std::string behind;
    do {
        context_.runner.read([&](Connection& connection) {
            page = page_of_worker(connection, worker, tenant, behind);
        });
        const auto answers = release_external(worker, page, now);
        released += std::ranges::count(answers, WorkerAnswer::done);
        behind = page.empty() ? behind : page.back().id;
    } while (page.size() == schema::limits::kJobsPerTransaction);
    return released;
}

}  // namespace jobstrand::persistence
