#include "persistence/jobs/claim_rows.hpp"

#include "persistence/rows/fences.hpp"
#include "persistence/rows/job_table.hpp"
#include "persistence/rows/move_jobs.hpp"
#include "persistence/rows/new_dead_letters.hpp"
#include "persistence/rows/suspended_scopes.hpp"
#include "persistence/sql/database_now.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/id_lists.hpp"

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace jobstrand::persistence {

namespace {

using schema::Job;
using schema::JobPlace;
using schema::PlacedJob;

constexpr std::string_view kLock = R"sql(
    UPDATE {table} {by_id}
    SET LOCK_OWNER_ = ?, LOCK_EXP_TIME_ = ?, REV_ = COALESCE(REV_, 1) + 1
    WHERE ID_ IN (...))sql";

/// Only a row whose lock was counted may run. One that its id does not find would run again and
/// again.
void drop_unlocked(
    Transaction& transaction,
    JobPlace place,
    std::string_view owner,
    std::vector<Job>& jobs
) {
    const auto held = held_for_update(transaction, owner, fenced(jobs), place);
    std::erase_if(jobs, [&](const Job& job) { return !held.contains(job.id); });
}

/// Of suspended jobs whose id stood in the suspended place already.
void tell_of_twins(
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
        tell_of_buried(transaction, context, dead, database_now(transaction));
    }
}

}  // namespace

void move_suspended(
    Transaction& transaction,
    const StoreContext& context,
    JobPlace place,
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
            moves.push_back(moved(job, schema::suspended(job, place)));
        }
        return is_suspended;
    });
    bury_twins(transaction, context, place, moves, twins);
    move_rows(transaction, place, moves);
    tell_of_twins(transaction, context, place, moves);
}

bool claim_rows(
    Transaction& transaction,
    JobPlace place,
    const LockClaim& claim,
    std::vector<Job>& jobs
) {
    std::vector<std::string_view> ids;
    for (Job& job : jobs) {
        job.lock_owner = claim.owner;
        job.lock_expiration = claim.until;
        ++job.revision;
        ids.emplace_back(job.id);
    }
    const std::string sql = fmt::format(
        kLock,
        fmt::arg("table", schema::table_of(place)),
        fmt::arg("by_id", transaction.dialect().by_id)
    );
    const auto statements = cut_id_list(sql, {.before = {claim.owner, claim.until}, .ids = ids});
    std::int64_t locked = 0;
    for (const auto& [text, parameters] : statements) {
        locked += transaction.execute(text, parameters);
    }
    const bool are_all = std::cmp_equal(locked, jobs.size());
    if (!are_all) {
        drop_unlocked(transaction, place, claim.owner, jobs);
    }
    return are_all;
}

}  // namespace jobstrand::persistence
