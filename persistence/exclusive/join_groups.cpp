#include "persistence/exclusive/join_groups.hpp"

#include "persistence/exclusive/group_locks.hpp"
#include "persistence/exclusive/waiting_jobs.hpp"
#include "persistence/sql/db_error.hpp"

#include <algorithm>
#include <set>
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

Shares share_out(const GroupCounts& wanted, const HeldGroups& held, std::string_view owner) {
    Shares shares;
    for (const auto& [group, count] : wanted) {
        const auto lock = held.at_rest.find(group);
        if (!held.contain(group)) {
            shares.taken.emplace(group, schema::may_claim_of_group(0, count));
        } else if (lock != held.at_rest.end() && lock->second.owner == owner) {
            const auto share = schema::may_claim_of_group(lock->second.claimed, count);
            if (share > 0) {
                shares.joined.emplace(group, share);
            }
        }
    }
    return shares;
}

/// What becomes of a job: the claim gets it, it waits for its group, or it stays free.
enum class Place { in, waits, stays };

/// For each job what becomes of it, in their order. `shares` have what the claim gets, and `known`
/// are the groups of which it has read who holds them.
std::vector<Place> places_of(
    const std::vector<Job>& jobs,
    GroupCounts shares,
    const std::set<std::string_view>& known,
    ExclusiveOver over
) {
    std::vector<Place> places;
    places.reserve(jobs.size());
    for (const Job& job : jobs) {
        const std::string_view group = schema::exclusive_group(job, over);
        const auto share = shares.find(group);
        if (group.empty() || (share != shares.end() && share->second-- > 0)) {
            places.push_back(Place::in);
        } else {
            places.push_back(known.contains(group) ? Place::waits : Place::stays);
        }
    }
    return places;
}

/// Leaves those that are in, and returns those that wait.
std::vector<WaitingJob>
take_others(std::vector<Job>& jobs, const std::vector<Place>& places, ExclusiveOver over) {
    std::vector<WaitingJob> waiting;
    std::vector<Job> kept;
    kept.reserve(jobs.size());
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        if (places[i] == Place::in) {
            kept.push_back(std::move(jobs[i]));
        } else if (places[i] == Place::waits) {
            const std::string_view group = schema::exclusive_group(jobs[i], over);
            waiting.push_back({.group = std::string(group), .id = jobs[i].id});
        } else if (schema::waits_for_limit(jobs[i])) {
            // Its place among those that wait for the limit is given up already.
            throw DbError(DbErrorKind::conflict, "the group of a limited job is being changed");
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
    const HeldGroups held = find_held(transaction, names);
    Shares shares = share_out(wanted, held, claim.owner);
    const GroupLocks others = take_groups(transaction, claim, shares.taken);
    count_claimed(transaction, claim, shares.joined);
    joined.taken.insert(shares.taken.begin(), shares.taken.end());
    shares.taken.merge(shares.joined);
    std::set<std::string_view> known;
    for (const auto& [group, share] : shares.taken) {
        known.insert(group);
    }
    for (const auto& [group, lock] : held.at_rest) {
        known.insert(group);
    }
    for (const auto& [group, lock] : others) {
        if (lock.owner != claim.owner) {
            known.insert(group);
        }
    }
    // Decided before any job moves, because the names are borrowed from the jobs.
    const std::vector<Place> places = places_of(jobs, std::move(shares.taken), known, over);
    if (std::ranges::any_of(places, [](Place place) { return place != Place::in; })) {
        const auto left = std::ranges::find(places, Place::stays);
        if (left != places.end()) {
            joined.first_left = jobs[static_cast<std::size_t>(left - places.begin())].id;
        }
        const std::vector<WaitingJob> waiting = take_others(jobs, places, over);
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
    if (group.empty()) {
        return true;
    }
    GroupCounts taken{{group, 1}};
    (void)take_groups(transaction, claim, taken);
    return !taken.empty();
}

}  // namespace jobstrand::persistence
