#include "persistence/jobs/claim_rows.hpp"
#include "persistence/jobs/served_condition.hpp"
#include "persistence/limits/exclusive_groups.hpp"
#include "persistence/limits/limit_slots.hpp"
#include "persistence/limits/waiting_jobs.hpp"
#include "persistence/rows/byte_arrays.hpp"
#include "persistence/rows/engine_columns.hpp"
#include "persistence/rows/fences.hpp"
#include "persistence/rows/job_rows.hpp"
#include "persistence/rows/new_dead_letters.hpp"
#include "persistence/rows/sql_executor_store.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/many_rows.hpp"
#include "schema/limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace jobstrand::persistence {

namespace {

using schema::Job;
using schema::JobPlace;

/// Ended groups by name, which is the order in which their locks are read.
using Ends = std::map<std::string_view, const GroupEnd*>;

/// Leaves those that have ended. The others are busy, or not the owner's any more.
void drop_others(
    Ends& ends,
    const GroupLocks& locks,
    std::string_view owner,
    std::vector<GroupEnd>& busy
) {
    std::erase_if(ends, [&](const auto& named) {
        const auto lock = locks.find(named.first);
        const bool is_held = lock != locks.end() && lock->second.owner == owner;
        const bool has_ended = is_held && lock->second.claimed == named.second->claimed &&
                               lock->second.began == named.second->began;
        if (is_held && !has_ended) {
            busy.push_back(*named.second);
        }
        return !has_ended;
    });
}

/// Of each group the first, as many as its holder may claim at once.
std::vector<WaitingJob> first_of_each(std::vector<WaitingJob> waiting) {
    std::map<std::string, std::int64_t, std::less<>> counts;
    std::erase_if(waiting, [&](const WaitingJob& job) {
        return ++counts[job.group] > schema::kMostClaimedOfGroup;
    });
    return waiting;
}

/// The rows of waiting jobs; those that wait no more, for this group, or for this node are free.
JobRows still_waiting(
    Transaction& transaction,
    const StoreContext& context,
    const ServedJobs& served,
    const std::vector<WaitingJob>& waiting
) {
    std::map<std::string_view, std::string_view> group_of;
    for (const WaitingJob& one : waiting) {
        group_of.emplace(one.id, one.group);
    }
    JobRows rows = checked_for_update(transaction, JobPlace::executable, keys_in(group_of));
    std::erase_if(rows.unreadable, [](const Job& job) {
        return !schema::waits_for_exclusive(job);
    });
    std::erase_if(rows.jobs, [](const Job& job) { return !schema::waits_for_exclusive(job); });
    use_served_names(rows.jobs, served.types);
    std::vector<std::string> others;
    std::erase_if(rows.jobs, [&](const Job& job) {
        const bool is_ours =
            group_of[job.id] == schema::exclusive_group(job, context.exclusive_over) &&
            served.contains(job);
        if (!is_ours) {
            others.push_back(job.id);
        }
        return !is_ours;
    });
    const std::vector<std::string_view> freed(others.begin(), others.end());
    free_waiting(transaction, kForExclusive, freed);
    return rows;
}

GroupCounts count_by_group(const std::vector<Job>& jobs, schema::ExclusiveOver over) {
    GroupCounts counts;
    for (const Job& job : jobs) {
        ++counts[schema::exclusive_group(job, over)];
    }
    return counts;
}

/// Frees the groups of which nothing was taken, and puts off those of which more may wait.
void end_groups(
    Transaction& transaction,
    std::string_view owner,
    const Ends& ends,
    const GroupCounts& taken,
    const std::vector<WaitingJob>& waiting,
    bool is_cut,
    std::vector<GroupEnd>& rest
) {
    std::set<std::string_view> seen;
    for (const WaitingJob& job : waiting) {
        seen.insert(job.group);
    }
    std::vector<std::string_view> empty;
    for (const auto& [name, end] : ends) {
        if (taken.contains(name)) {
            continue;
        }
        if (seen.contains(name) || is_cut) {
            rest.push_back(*end);
        } else {
            empty.push_back(name);
        }
    }
    free_groups(transaction, owner, empty);
}

/// What one transaction is asked for.
struct PassingOn {
    const StoreContext& context;
    const LockClaim& claim;
    const ServedJobs& served;
    std::size_t most_bytes;
};

/// Returns whether some of them had to go on waiting; these are taken out of the list.
bool take_waiting(
    Transaction& transaction,
    const PassingOn& asked,
    std::vector<WaitingJob>& waiting,
    DuplicateIds& duplicates,
    std::vector<Job>& taken
) {
    JobRows rows = still_waiting(transaction, asked.context, asked.served, waiting);
    std::set<std::string> left;
    for (const Job& job : rows.jobs) {
        left.insert(job.id);
    }
    const bool is_cut = cut_to_bytes(transaction, rows.jobs, asked.most_bytes);
    for (const Job& job : rows.jobs) {
        left.erase(job.id);
    }
    std::erase_if(waiting, [&](const WaitingJob& one) { return is_cut && left.contains(one.id); });
    quarantine(transaction, asked.context, JobPlace::executable, rows);
    move_suspended(transaction, asked.context, JobPlace::executable, rows.jobs, duplicates);
    // What meets a full limit waits for that from here on, and comes back to its group later.
    const auto limits = asked.context.limits.current();
    (void)join_limits(transaction, asked.claim, *limits, rows.jobs.size(), rows.jobs);
    (void)claim_rows(transaction, JobPlace::executable, asked.claim, rows.jobs);
    load_payloads(transaction, rows.jobs);
    recall_series(transaction, rows.jobs);
    forget_waiting(transaction, kForExclusive, waiting);
    taken = std::move(rows.jobs);
    return is_cut;
}

/// One transaction.
void pass_on_at_once(
    Transaction& transaction,
    const PassingOn& asked,
    Ends ends,
    DuplicateIds& duplicates,
    GroupsPassedOn& done
) {
    const std::string_view owner = asked.claim.owner;
    drop_others(ends, locks_for_update(transaction, keys_in(ends)), owner, done.busy);
    std::vector<WaitingJob> waiting =
        waiting_in(transaction, kForExclusive, keys_in(ends), schema::limits::kJobsPerTransaction);
    bool is_cut = waiting.size() >= schema::limits::kJobsPerTransaction;
    waiting = first_of_each(std::move(waiting));
    if (!waiting.empty()) {
        is_cut = take_waiting(transaction, asked, waiting, duplicates, done.jobs) || is_cut;
    }
    const GroupCounts taken = count_by_group(done.jobs, asked.context.exclusive_over);
    begin_again(transaction, asked.claim, taken);
    end_groups(transaction, owner, ends, taken, waiting, is_cut, done.rest);
}

}  // namespace

GroupsPassedOn SqlExecutorStore::pass_on(
    const LockClaim& claim,
    const ServedJobs& served,
    std::size_t most_bytes,
    std::span<const GroupEnd> groups
) {
    GroupsPassedOn done;
    Ends ends;
    for (const GroupEnd& end : groups) {
        ends.emplace(end.group, &end);
    }
    DuplicateIds duplicates;
    const auto work = [&](Transaction& transaction) {
        done = {};
        pass_on_at_once(transaction, {context_, claim, served, most_bytes}, ends, duplicates, done);
        if (!done.jobs.empty()) {
            require_in_time(context_, claim);
        }
    };
    if (!ends.empty()) {
        run_diverting_duplicates(context_, duplicates, work, [&](Transaction& transaction) {
            // Where nothing was taken, again does no harm.
            return !done.jobs.empty() &&
                   !held_for_update(transaction, claim.owner, fenced(done.jobs)).empty();
        });
    }
    return done;
}

namespace {

// There are as many rows as nodes hold groups, so no index is needed.
constexpr std::string_view kExpired = R"sql(
    SELECT ID_, LOCK_OWNER_
    FROM JS_EXCLUSIVE
    WHERE ID_ >= ? AND LOCK_EXP_TIME_ < ?
    ORDER BY ID_
    LIMIT ?)sql";

// Its holder may have renewed it since it was read.
constexpr std::string_view kStillExpired = R"sql(
    SELECT ID_
    FROM JS_EXCLUSIVE {by_id}
    WHERE ID_ = ? AND LOCK_EXP_TIME_ < ?
    {for_update})sql";

constexpr std::string_view kFree = R"sql(
    {delete_where} ID_ = ? AND LOCK_EXP_TIME_ < ?)sql";

std::vector<std::string>
expired_groups(Connection& connection, schema::TimePoint now, std::span<const std::string> owners) {
    std::vector<std::string> groups;
    const Value before{now};
    const auto read = [&](const Row& row) {
        if (owners.empty() || std::ranges::find(owners, row.text(1)) != owners.end()) {
            groups.emplace_back(row.text(0));
        }
    };
    query_in_pieces(connection, {.sql = kExpired, .columns = 2}, "", {&before, 1}, read);
    return groups;
}

bool is_still_expired(Transaction& transaction, std::string_view group, schema::TimePoint now) {
    const Dialect& dialect = transaction.dialect();
    const std::string sql = fmt::format(
        kStillExpired, fmt::arg("by_id", dialect.by_id), fmt::arg("for_update", dialect.for_update)
    );
    return has_row(transaction, sql, {group, now});
}

struct FreedPage {
    std::int64_t jobs = 0;
    bool is_last = true;
};

/// The last page frees the group too; until then nobody can take it.
FreedPage free_page(Transaction& transaction, std::string_view group, schema::TimePoint now) {
    if (!is_still_expired(transaction, group, now)) {
        return {};
    }
    constexpr std::size_t kPage = schema::limits::kJobsPerTransaction;
    const std::vector<WaitingJob> waiting =
        waiting_in(transaction, kForExclusive, std::span(&group, 1), kPage);
    FreedPage freed{
        .jobs = free_waiting(transaction, kForExclusive, ids_of(waiting)),
        .is_last = waiting.size() < kPage};
    forget_waiting(transaction, kForExclusive, waiting);
    if (freed.is_last) {
        const std::string sql = delete_from(transaction.dialect(), "JS_EXCLUSIVE", kFree);
        transaction.execute(sql, {group, now});
    }
    return freed;
}

}  // namespace

std::int64_t
SqlExecutorStore::reset_expired_groups(schema::TimePoint now, std::span<const std::string> owners) {
    // Read apart from the write: on SQLite nearly every pass then leaves the writer alone.
    const std::vector<std::string> groups = context_.runner.read([&](Connection& connection) {
        return expired_groups(connection, now, owners);
    });
    std::int64_t freed = 0;
    for (const std::string& group : groups) {
        FreedPage page;
        do {
            context_.runner.run(
                [&](Transaction& transaction) { page = free_page(transaction, group, now); },
                run_again
            );
            freed += page.jobs;
        } while (!page.is_last);
    }
    return freed;
}

}  // namespace jobstrand::persistence
