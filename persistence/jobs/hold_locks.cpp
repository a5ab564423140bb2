#include "persistence/limits/exclusive_groups.hpp"
#include "persistence/rows/byte_arrays.hpp"
#include "persistence/rows/engine_columns.hpp"
#include "persistence/rows/fences.hpp"
#include "persistence/rows/job_rows.hpp"
#include "persistence/rows/page_claims.hpp"
#include "persistence/rows/sql_executor_store.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/many_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

namespace jobstrand::persistence {

namespace {

// REV_ stays, so that the fences of the running jobs go on to hold. A job that a claim names gets a
// lock of its own now: most have ended by then, and for the others the claim need not live on.
// A renewal that waited for long comes behind those that began after it.
constexpr std::string_view kExtend = R"sql(
    UPDATE ACT_RU_JOB {by_id}
    SET LOCK_OWNER_ = ?,
        LOCK_EXP_TIME_ = CASE WHEN LOCK_EXP_TIME_ > ? THEN LOCK_EXP_TIME_ ELSE ? END
    WHERE ID_ IN (...) AND {held})sql";

constexpr std::string_view kHeld = R"sql(
    SELECT ID_, COALESCE(REV_, 1), LOCK_OWNER_
    FROM ACT_RU_JOB {by_id}
    WHERE ID_ IN (...) AND (LOCK_OWNER_ IS NULL OR LOCK_OWNER_ = ?))sql";

std::vector<std::string>
ids_not_in(const std::map<std::string, int, std::less<>>& held, std::span<const Fence> fences) {
    std::vector<std::string> ids;
    for (const Fence& fence : fences) {
        if (!held.contains(fence.id)) {
            ids.push_back(fence.id);
        }
    }
    return ids;
}

CountByClaim count_claims_of(std::span<const Fence> fences) {
    CountByClaim counts;
    for (const Fence& fence : fences) {
        if (fence.claim != 0) {
            ++counts[fence.claim];
        }
    }
    return counts;
}

std::vector<std::string_view> groups_behind(std::span<const Fence> fences) {
    std::vector<std::string_view> groups;
    for (const Fence& fence : fences) {
        if (!fence.group.empty()) {
            groups.emplace_back(fence.group);
        }
    }
    std::ranges::sort(groups);
    const auto twice = std::ranges::unique(groups);
    groups.erase(twice.begin(), twice.end());
    return groups;
}

/// Prolongs the locks of groups, and takes the fences of those that are lost out of the list:
/// without its group, no job is held.
std::vector<std::string>
extend_groups_of(Transaction& transaction, const LockClaim& claim, std::vector<Fence>& fences) {
    std::vector<std::string> lost_jobs;
    const std::vector<std::string_view> groups = groups_behind(fences);
    if (groups.empty()) {
        return lost_jobs;
    }
    const std::vector<std::string_view> seen = extend_groups(transaction, claim, groups);
    const std::set<std::string, std::less<>> lost(seen.begin(), seen.end());
    std::erase_if(fences, [&](const Fence& fence) {
        const bool is_lost = lost.contains(fence.group);
        if (is_lost) {
            lost_jobs.push_back(fence.id);
        }
        return is_lost;
    });
    return lost_jobs;
}

}  // namespace

bool SqlExecutorStore::is_held(
    Transaction& transaction,
    std::string_view owner,
    const Fence& fence
) {
    return !held_for_update(transaction, owner, fenced(std::span(&fence, 1))).empty();
}

std::vector<std::string>
SqlExecutorStore::not_held(std::string_view owner, std::span<const Fence> fences) {
    const std::vector<std::string_view> ids = ids_of(fences);
    struct Seen {
        std::int64_t revision;
        bool is_locked;
    };
    std::map<std::string, Seen, std::less<>> seen;
    context_.runner.read([&](Connection& connection) {
        seen.clear();
        const std::string sql = fmt::format(kHeld, fmt::arg("by_id", connection.dialect().by_id));
        const IdListParameters parameters{.ids = ids, .after = {owner}};
        query_for_ids(connection, {.sql = sql, .columns = 3}, parameters, [&](const Row& row) {
            seen.emplace(row.text(0), Seen{row.integer(1), !row.is_null(2)});
        });
    });
    std::vector<std::string> gone;
    for (const Fence& fence : fences) {
        const auto row = seen.find(fence.id);
        const bool is_held = row != seen.end() && row->second.revision == fence.revision &&
                             (row->second.is_locked || fence.claim != 0);
        if (!is_held) {
            gone.push_back(fence.id);
        }
    }
    return gone;
}

std::vector<std::string>
SqlExecutorStore::extend_locks(const LockClaim& claim, std::span<const Fence> fences) {
    std::vector<std::string> lost;
    const auto extend = [&](Transaction& transaction) {
        // The groups first, so that the lock of none ends before those of its jobs.
        std::vector<Fence> kept(fences.begin(), fences.end());
        lost = extend_groups_of(transaction, claim, kept);
        const FencedIds ids = fenced(kept);
        const std::int64_t extended = execute_fenced(
            transaction, kExtend, {claim.owner, claim.until, claim.until}, claim.owner, ids
        );
        if (extended < count_of(ids)) {
            std::ranges::move(
                ids_not_in(held_for_update(transaction, claim.owner, ids), kept),
                std::back_inserter(lost)
            );
        }
    };
    if (!fences.empty()) {
        context_.runner.run(extend, run_again);
    }
    return lost;
}

void SqlExecutorStore::release(std::string_view owner, std::span<const Fence> fences) {
    // What is not counted, because a lock was lost, leaves a claim that nobody needs until it ends.
    const auto free = [&](Transaction& transaction) {
        const FencedIds ids = fenced(fences);
        if (free_held(transaction, owner, ids) == count_of(ids)) {
            count_ended(transaction, owner, count_claims_of(fences));
        }
    };
    if (!fences.empty()) {
        context_.runner.run(free, run_again);
    }
}

namespace {

// REV_ stays, so that the fence of the run goes on to hold.
constexpr std::string_view kCountStart = R"sql(
    UPDATE ACT_RU_JOB {by_id}
    SET LOST_STARTS_ = LOST_STARTS_ + 1, DUEDATE_ = ?
    WHERE ID_ IN (...) AND {held})sql";

// The job may be somebody else's by now, so there is no fence to ask for.
constexpr std::string_view kUncountStarts = R"sql(
    UPDATE ACT_RU_JOB {by_id}
    SET LOST_STARTS_ = LOST_STARTS_ - 1
    WHERE ID_ IN (...) AND LOST_STARTS_ > 0)sql";

}  // namespace

bool SqlExecutorStore::count_start(
    std::string_view owner,
    const Fence& fence,
    schema::TimePoint next
) {
    bool is_held = false;
    context_.runner.run(
        [&](Transaction& transaction) {
            const FencedIds ids = fenced(std::span(&fence, 1));
            is_held = execute_fenced(transaction, kCountStart, {next}, owner, ids) == 1;
        },
        // Once too often does less harm than a start that nobody knows of.
        run_again
    );
    return is_held;
}

void SqlExecutorStore::uncount_starts(std::span<const std::string> ids) {
    std::vector<std::string_view> list(ids.begin(), ids.end());
    std::ranges::sort(list);
    const auto uncount = [&](Transaction& transaction) {
        const std::string sql =
            fmt::format(kUncountStarts, fmt::arg("by_id", transaction.dialect().by_id));
        execute_for_ids(transaction, sql, {.ids = list});
    };
    if (!list.empty()) {
        context_.runner.run(uncount, [](Transaction&) { return true; });
    }
}

namespace {

using schema::Job;

// There is no index: this is for what hardly ever happens. No two claims of an owner have the same
// end (executor/loop/job_intake.hpp), and what was renewed has another one.
constexpr std::string_view kClaimed = R"sql(
    SELECT ID_
    FROM ACT_RU_JOB
    WHERE LOCK_OWNER_ = ? AND LOCK_EXP_TIME_ = ?
    ORDER BY ID_)sql";

// Its jobs are free with the next reset of claims.
constexpr std::string_view kEndPageClaim = R"sql(
    UPDATE JS_CLAIM
    SET LOCK_EXP_TIME_ = ?
    WHERE OWNER_ = ? AND ID_ > 0 AND LOCK_EXP_TIME_ = ?)sql";

}  // namespace

std::vector<Job> SqlExecutorStore::take_up(const LockClaim& claim) {
    std::vector<Job> jobs;
    context_.runner.run(
        [&](Transaction& transaction) {
            const auto ids = all_texts(transaction, kClaimed, {claim.owner, claim.until});
            const std::vector<std::string_view> list(ids.begin(), ids.end());
            jobs = rows_for_update(transaction, schema::JobPlace::executable, list);
            load_payloads(transaction, jobs);
            recall_series(transaction, jobs);
            transaction.execute(kEndPageClaim, {claim.now, claim.owner, claim.until});
        },
        run_again  // It only reads, but for a claim that ends once more.
    );
    return jobs;
}

}  // namespace jobstrand::persistence
