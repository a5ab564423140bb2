#include "persistence/exclusive/join_groups.hpp"

#include "persistence/exclusive/group_locks.hpp"
#include "persistence/exclusive/waiting_jobs.hpp"
#include "persistence/sql/db_error.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace jobstrand::persistence {

namespace {

using schema::ExclusiveOver;
using schema::Job;

GroupCounts groups_of(const std::vector<Job>& jobs, ExclusiveOver over) {
    GroupCounts wanted;
    for (const Job& job : jobs) {
        if (const std::string_view group = schema::exclusive_group(job, over); !group.empty()) {
            ++wanted[group];
        }
    }
    return wanted;
}

/// How many jobs of each group the claim gets.
struct Shares {
    GroupCounts taken;   ///< Of groups that nobody held.
    GroupCounts joined;  ///< Of groups that its owner holds already.
};

Shares share_out(const GroupCounts& wanted, const GroupLocks& locks, std::string_view owner) {
    Shares shares;
    for (const auto& [group, count] : wanted) {
        const auto lock = locks.find(group);
        if (lock == locks.end()) {
            shares.taken.emplace(group, schema::may_claim_of_group(0, count));
        } else if (lock->second.owner == owner) {
            const auto share = schema::may_claim_of_group(lock->second.claimed, count);
            if (share > 0) {
                shares.joined.emplace(group, share);
            }
        }
    }
    return shares;
}

std::vector<std::string_view> names_of(const GroupCounts& groups) {
    std::vector<std::string_view> names;
    names.reserve(groups.size());
    for (const auto& [group, count] : groups) {
        names.push_back(group);
    }
    return names;
}

/// Leaves the `taken` ones of these groups, where other nodes have taken the rest meanwhile: the
/// jobs of those wait, as those of all groups that others hold.
void drop_taken_by_others(
    Transaction& transaction,
    std::string_view owner,
    std::size_t taken,
    GroupCounts& groups
) {
    const GroupLocks locks = locks_for_update(transaction, names_of(groups));
    const bool are_all_there = locks.size() == groups.size();
    std::erase_if(groups, [&](const auto& wanted) {
        const auto lock = locks.find(wanted.first);
        return lock == locks.end() || lock->second.owner != owner;
    });
    // Nobody would wake a job that waits for a group that is free again. And another claim of this
    // owner has counted its own jobs only.
    if (!are_all_there || groups.size() != taken) {
        throw DbError(
            DbErrorKind::conflict, "another claim has just taken a group of exclusive jobs"
        );
    }
}

/// For each job whether its group has a share left for it, in their order.
std::vector<bool> who_is_in(const std::vector<Job>& jobs, GroupCounts shares, ExclusiveOver over) {
    std::vector<bool> are_in;
    are_in.reserve(jobs.size());
    for (const Job& job : jobs) {
        const std::string_view group = schema::exclusive_group(job, over);
        const auto share = shares.find(group);
        are_in.push_back(group.empty() || (share != shares.end() && share->second-- > 0));
    }
    return are_in;
}

/// Takes the others out of the list.
std::vector<WaitingJob>
take_others(std::vector<Job>& jobs, const std::vector<bool>& are_in, ExclusiveOver over) {
    std::vector<WaitingJob> waiting;
    std::vector<Job> kept;
    kept.reserve(jobs.size());
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        if (are_in[i]) {
            kept.push_back(std::move(jobs[i]));
        } else {
            const std::string_view group = schema::exclusive_group(jobs[i], over);
            waiting.push_back({.group = std::string(group), .id = jobs[i].id});
        }
    }
    jobs = std::move(kept);
    return waiting;
}

}  // namespace

JoinedGroups join_groups(
    Transaction& transaction,
    const StoreContext& context,
    const LockClaim& claim,
    std::vector<Job>& jobs
) {
    const ExclusiveOver over = context.exclusive_over;
    JoinedGroups joined;
    const GroupCounts wanted = groups_of(jobs, over);
    if (wanted.empty()) {
        return joined;
    }
    const std::vector<std::string_view> names = names_of(wanted);
    // Kept until the transaction ends, however it does.
    transaction.on_commit([turn = context.turns.wait_for(names)] {});
    Shares shares = share_out(wanted, locks_for_update(transaction, names), claim.owner);
    const std::size_t taken = take_groups(transaction, claim, shares.taken);
    if (taken < shares.taken.size()) {
        drop_taken_by_others(transaction, claim.owner, taken, shares.taken);
    }
    count_claimed(transaction, claim, shares.joined);
    joined.taken.insert(shares.taken.begin(), shares.taken.end());
    shares.taken.merge(shares.joined);
    // Decided before any job moves, because the names are borrowed from the jobs.
    const std::vector<bool> are_in = who_is_in(jobs, std::move(shares.taken), over);
    if (std::ranges::find(are_in, false) != are_in.end()) {
        const std::vector<WaitingJob> waiting = take_others(jobs, are_in, over);
        let_wait(transaction, kForExclusive, waiting);
        joined.waiting = waiting.size();
    }
    return joined;
}

bool join_group_alone(
    Transaction& transaction,
    const LockClaim& claim,
    ExclusiveOver over,
    const Job& job
) {
    const std::string_view group = schema::exclusive_group(job, over);
    return group.empty() || take_groups(transaction, claim, {{group, 1}}) == 1;
}

}  // namespace jobstrand::persistence
