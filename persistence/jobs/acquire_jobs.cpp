#include "persistence/jobs/executor_moves.hpp"
#include "persistence/jobs/job_candidates.hpp"
#include "persistence/jobs/served_names.hpp"
#include "persistence/rows/byte_arrays.hpp"
#include "persistence/rows/fences.hpp"
#include "persistence/rows/job_table.hpp"
#include "persistence/rows/move_jobs.hpp"
#include "persistence/rows/payload_page.hpp"
#include "persistence/rows/suspended_scopes.hpp"
#include "persistence/rows/twins.hpp"
#include "persistence/rows/unreadable_rows.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/id_lists.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

namespace jobstrand::persistence {

namespace {

using schema::Job;
using schema::JobPlace;
using schema::PlacedJob;

constexpr std::string_view kHasAcquirable = R"sql(
    SELECT 1
    FROM ACT_RU_JOB
    WHERE LOCK_EXP_TIME_ IS NULL AND {served}
    LIMIT 1)sql";

constexpr std::string_view kLock = R"sql(
    UPDATE ACT_RU_JOB {by_id}
    SET LOCK_OWNER_ = ?, LOCK_EXP_TIME_ = ?, REV_ = COALESCE(REV_, 1) + 1
    WHERE ID_ IN (...))sql";

/// Moves the jobs of suspended instances and definitions out of the way, and drops them from the
/// list. They are here because they were running, or being inserted, when the suspension began.
void move_suspended(
    Transaction& transaction,
    const StoreContext& context,
    std::vector<Job>& candidates,
    Twins& twins
) {
    std::vector<const Job*> all;
    for (const Job& job : candidates) {
        all.push_back(&job);
    }
    const SuspendedScopes suspended = find_suspended(transaction, all);
    std::vector<PlacedJob> moves;
    std::erase_if(candidates, [&](const Job& job) {
        const bool is_suspended = suspended.contain(job);
        if (is_suspended) {
            moves.push_back(moved(job, schema::suspended(job, JobPlace::executable)));
        }
        return is_suspended;
    });
    bury_twins(transaction, context, JobPlace::executable, moves, twins);
    move_rows(transaction, JobPlace::executable, moves);
}

/// Only a row whose lock was counted may run. One that its id does not find would run again and
/// again.
void drop_unlocked(Transaction& transaction, std::string_view owner, std::vector<Job>& jobs) {
    const auto held = held_for_update(transaction, owner, fenced(jobs));
    std::erase_if(jobs, [&](const Job& job) { return !held.contains(job.id); });
}

/// Returns whether all of them could be locked.
bool claim_rows(Transaction& transaction, const LockClaim& claim, std::vector<Job>& jobs) {
    std::vector<std::string_view> ids;
    for (Job& job : jobs) {
        job.lock_owner = claim.owner;
        job.lock_expiration = claim.until;
        ++job.revision;
        ids.emplace_back(job.id);
    }
    const std::string sql = fmt::format(kLock, fmt::arg("by_id", transaction.dialect().by_id));
    const auto statements = cut_id_list(sql, {.before = {claim.owner, claim.until}, .ids = ids});
    std::int64_t locked = 0;
    for (const auto& [text, parameters] : statements) {
        locked += transaction.execute(text, parameters);
    }
    const bool are_all = std::cmp_equal(locked, jobs.size());
    if (!are_all) {
        drop_unlocked(transaction, claim.owner, jobs);
    }
    return are_all;
}

bool is_any_held(Transaction& transaction, std::string_view owner, std::span<const Job> jobs) {
    return !held_for_update(transaction, owner, fenced(jobs)).empty();
}

/// What an acquisition is about to lock, in the order in which it is to run.
struct Candidates {
    JobRows rows;
    bool is_end = false;  ///< There is nothing behind them.
};
using SelectPage = std::function<Candidates(Transaction&)>;

/// The one way to claim: locks what `select` finds, until that is something or the end. A page that
/// is empty in the end, because all its jobs were suspended or unreadable, is not the end of the
/// table.
std::vector<Job> acquire_page(
    const StoreContext& context,
    const LockClaim& claim,
    const ServedJobs& served,
    std::size_t most_bytes,
    const SelectPage& select
) {
    Candidates page;
    Twins twins;
    const auto acquire = [&](Transaction& transaction) {
        page = select(transaction);
        set_aside(transaction, context, JobPlace::executable, page.rows);
        move_suspended(transaction, context, page.rows.jobs, twins);
        (void)cut_to_bytes(transaction, page.rows.jobs, most_bytes);
        // The rows that stay would be found by the next page as well.
        page.is_end = !claim_rows(transaction, claim, page.rows.jobs) || page.is_end;
        use_served_names(page.rows.jobs, served.types);
        load_payloads(transaction, page.rows.jobs);
    };
    do {
        run_burying_twins(context, twins, acquire, [&](Transaction& transaction) {
            return is_any_held(transaction, claim.owner, page.rows.jobs);
        });
    } while (page.rows.jobs.empty() && !page.is_end);
    return std::move(page.rows.jobs);
}

}  // namespace

bool has_acquirable(const StoreContext& context, const ServedJobs& served) {
    bool found = false;
    if (served.types.empty()) {
        return found;
    }
    const BoundStatement condition = condition_of(served);
    const std::string sql = fmt::format(kHasAcquirable, fmt::arg("served", condition.sql));
    context.runner.read([&](Connection& connection) {
        found = false;
        connection.query({.sql = sql, .columns = 1}, condition.parameters, [&](const Row&) {
            found = true;
        });
    });
    return found;
}

std::vector<Job> acquire(
    const StoreContext& context,
    const LockClaim& claim,
    const ServedJobs& served,
    PageLimit limit,
    std::string_view after
) {
    if (served.types.empty() || limit.jobs == 0) {
        return {};
    }
    return acquire_page(context, claim, served, limit.bytes, [&](Transaction& transaction) {
        JobRows rows = oldest_candidates(transaction, served, limit.jobs, after);
        const bool is_end = rows.are_none();
        return Candidates{.rows = std::move(rows), .is_end = is_end};
    });
}

std::vector<Job> acquire_by_priority(
    const StoreContext& context,
    const LockClaim& claim,
    const ServedJobs& served,
    PageLimit limit,
    const PriorityPositions& behind
) {
    if (served.types.empty() || limit.jobs == 0) {
        return {};
    }
    std::int64_t highest = std::numeric_limits<std::int64_t>::max();
    return acquire_page(context, claim, served, limit.bytes, [&](Transaction& transaction) {
        auto [rows, rest] =
            most_important_candidates(transaction, served, limit.jobs, behind, highest);
        const bool is_end = rows.are_none() && !rest;
        if (rows.are_none() && rest) {
            highest = *rest;
        }
        return Candidates{.rows = std::move(rows), .is_end = is_end};
    });
}

AcquiredJob acquire_one(
    const StoreContext& context,
    std::string_view id,
    const LockClaim& claim,
    schema::TimePoint now
) {
    JobRows rows;
    std::vector<Job>& jobs = rows.jobs;
    JobAnswer answer = JobAnswer::not_found;
    Twins twins;
    const auto acquire_row = [&](Transaction& transaction) {
        rows = checked_for_update(transaction, JobPlace::executable, std::span(&id, 1));
        answer = JobAnswer::not_found;
        if (!jobs.empty() && is_locked(jobs.front(), now)) {
            answer = JobAnswer::locked;
            return;
        }
        set_aside(transaction, context, JobPlace::executable, rows);
        move_suspended(transaction, context, jobs, twins);
        (void)claim_rows(transaction, claim, jobs);
        load_payloads(transaction, jobs);
        if (!jobs.empty()) {
            answer = JobAnswer::done;
        }
    };
    run_burying_twins(context, twins, acquire_row, [&](Transaction& transaction) {
        return is_any_held(transaction, claim.owner, jobs);
    });
    return answer == JobAnswer::done ? AcquiredJob{answer, std::move(jobs.front())}
                                     : AcquiredJob{answer, {}};
}

}  // namespace jobstrand::persistence
