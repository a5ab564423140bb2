#include "persistence/rows/job_table.hpp"
#include "persistence/series/move_pipeline.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/unique/key_holders.hpp"
#include "persistence/workers/sql_worker_store.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace jobstrand::persistence {

namespace {

using schema::Job;
using schema::JobPlace;

constexpr std::string_view kLastLine = R"sql(
    SELECT HOSTNAME_, JOB_STATE_
    FROM ACT_HI_JOB_LOG {by_job}
    WHERE JOB_ID_ = ?
    ORDER BY ID_ DESC
    LIMIT 1)sql";

/// Whether the last that the log tells of the job is a failure that the worker has reported.
bool has_failed_last(Transaction& transaction, std::string_view worker, std::string_view id) {
    const std::string sql = fmt::format(
        kLastLine, fmt::arg("by_job", by_index(transaction.dialect(), "JS_IDX_JOB_LOG_JOB"))
    );
    bool has_failed = false;
    transaction.query({.sql = sql, .columns = 2}, {id}, [&](const Row& row) {
        has_failed = row.text(0) == worker &&
                     row.integer(1) == static_cast<std::int64_t>(schema::JobEvent::failed);
    });
    return has_failed;
}

/// Its wait is over already, and nobody has come for it yet.
bool lock_free_one(Transaction& transaction, const LockClaim& claim, Job row) {
    if (!row.lock_owner.empty() && row.lock_owner != claim.owner) {
        return false;
    }
    row.lock_owner = claim.owner;
    row.lock_expiration = claim.until;
    ++row.revision;
    update_row(transaction, JobPlace::external_worker, row);
    return true;
}

bool move_back(
    Transaction& transaction,
    const StoreContext& context,
    JobPlace from,
    std::vector<Job> rows,
    const LockClaim& claim,
    schema::TimePoint now
) {
    const bool is_dead = from == JobPlace::dead_letter;
    if (is_dead && !take_back_keys(transaction, rows, now).empty()) {
        return false;
    }
    MovePipeline moves(transaction, context, from, now);
    moves.decide(std::move(rows), [&](const Job& row) {
        return is_dead ? schema::requeued(row, 1, std::nullopt, now) : schema::fired(row);
    });
    if (moves.leaving().size() != 1 || moves.leaving().front().place != JobPlace::external_worker) {
        return false;  // Nothing is written: it is suspended, or was never a worker's.
    }
    Job& job = moves.leaving().front().job;
    job.lock_owner = claim.owner;
    job.lock_expiration = claim.until;
    moves.write();
    return true;
}

bool take_back_within(
    Transaction& transaction,
    const StoreContext& context,
    const LockClaim& claim,
    std::string_view id,
    schema::TimePoint now
) {
    for (const JobPlace place :
         {JobPlace::external_worker, JobPlace::timer, JobPlace::dead_letter}) {
        std::vector<Job> rows = rows_for_update(transaction, place, std::span(&id, 1));
        if (rows.empty()) {
            continue;
        }
        const Job& row = rows.front();
        if (row.id != id || !schema::exclusive_group(row, context.exclusive_over).empty() ||
            !has_failed_last(transaction, claim.owner, id)) {
            return false;
        }
        return place == JobPlace::external_worker
                   ? lock_free_one(transaction, claim, std::move(rows.front()))
                   : move_back(transaction, context, place, std::move(rows), claim, now);
    }
    return false;
}

}  // namespace

bool SqlWorkerStore::take_back(const LockClaim& claim, std::string_view id, schema::TimePoint now) {
    bool is_taken = false;
    context_.runner.run(
        [&](Transaction& transaction) {
            is_taken = take_back_within(transaction, context_, claim, id, now);
        },
        run_again  // What the worker holds already it holds again.
    );
    return is_taken;
}

}  // namespace jobstrand::persistence
