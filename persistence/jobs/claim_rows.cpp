#include "persistence/jobs/claim_rows.hpp"

#include "persistence/candidates/served_condition.hpp"
#include "persistence/rows/fences.hpp"
#include "persistence/rows/job_table.hpp"
#include "persistence/rows/move_jobs.hpp"
#include "persistence/rows/new_dead_letters.hpp"
#include "persistence/rows/suspended_scopes.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/id_lists.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

namespace jobstrand::persistence {

namespace {

using schema::Job;
using schema::JobPlace;
using schema::PlacedJob;

constexpr std::string_view kLock = R"sql(
    UPDATE {table} {by_key}
    SET LOCK_OWNER_ = ?, LOCK_EXP_TIME_ = ?, REV_ = COALESCE(REV_, 1) + 1
    WHERE {which})sql";

constexpr std::string_view kNamed = "ID_ IN (...)";
constexpr std::string_view kInRange =
    "{behind} AND ID_ <= ? AND LOCK_EXP_TIME_ IS NULL AND {served}";

void mark_locked(std::vector<Job>& jobs, const LockClaim& claim) {
    for (Job& job : jobs) {
        job.lock_owner = claim.owner;
        job.lock_expiration = claim.until;
        ++job.revision;
    }
}

/// Returns whether all are locked, by the number of rows that were; else it drops those that are
/// not. Only a row whose lock was counted may run: one that its id does not find would run again
/// and again.
bool keep_locked(
    Transaction& transaction,
    JobPlace place,
    std::string_view owner,
    std::int64_t locked,
    std::vector<Job>& jobs
) {
    if (std::cmp_equal(locked, jobs.size())) {
        return true;
    }
    const auto held = held_for_update(transaction, owner, fenced(jobs), place);
    std::erase_if(jobs, [&](const Job& job) { return !held.contains(job.id); });
    return false;
}

/// Of suspended jobs whose id stood in the suspended place already.
void log_duplicates(
    Transaction& transaction,
    const StoreContext& context,
    JobPlace from,
    std::span<const PlacedJob> moves
) {
    std::vector<NewDeadLetter> dead;
    for (const PlacedJob& placed : moves) {
        if (placed.place == JobPlace::dead_letter) {
            dead.push_back(
                {.job = &placed.job, .from = from, .reason = schema::TransitionReason::id_taken}
            );
        }
    }
    if (!dead.empty()) {
        log_unplanned_dead_letters(transaction, context, dead, context.clock.now());
    }
}

}  // namespace

void move_suspended(
    Transaction& transaction,
    const StoreContext& context,
    JobPlace place,
    std::vector<Job>& candidates,
    DuplicateIds& duplicates
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
            moves.push_back(moved(job, schema::suspended(job, place)));
        }
        return is_suspended;
    });
    divert_duplicates(transaction, context, place, moves, duplicates);
    move_rows(transaction, place, moves);
    log_duplicates(transaction, context, place, moves);
}

bool claim_rows(
    Transaction& transaction,
    JobPlace place,
    const LockClaim& claim,
    std::vector<Job>& jobs
) {
    mark_locked(jobs, claim);
    const std::string sql = fmt::format(
        kLock,
        fmt::arg("table", schema::table_of(place)),
        fmt::arg("by_key", transaction.dialect().by_id),
        fmt::arg("which", kNamed)
    );
    const std::vector<std::string_view> ids = ids_of(jobs);
    const std::int64_t locked =
        execute_for_ids(transaction, sql, {.before = {claim.owner, claim.until}, .ids = ids});
    return keep_locked(transaction, place, claim.owner, locked, jobs);
}

bool claim_range(
    Transaction& transaction,
    const LockClaim& claim,
    const ServedJobs& served,
    const IdRange& range,
    std::vector<Job>& jobs
) {
    if (jobs.empty()) {
        return true;
    }
    mark_locked(jobs, claim);
    const JobPlace place = JobPlace::executable;
    const Dialect& dialect = transaction.dialect();
    BoundStatement which = condition_of(served, dialect);
    which.sql = fmt::format(
        kInRange, fmt::arg("behind", ids_behind(range.behind)), fmt::arg("served", which.sql)
    );
    std::vector<Value> parameters{claim.owner, claim.until, range.behind, range.last};
    std::ranges::move(which.parameters, std::back_inserter(parameters));
    const std::string sql = fmt::format(
        kLock,
        fmt::arg("table", schema::table_of(place)),
        fmt::arg("by_key", dialect.by_key),
        fmt::arg("which", which.sql)
    );
    const std::int64_t locked = transaction.execute(sql, parameters);
    return keep_locked(transaction, place, claim.owner, locked, jobs);
}

}  // namespace jobstrand::persistence
