#include "schema/concurrency.hpp"
#include "test/simulation/memory_store.hpp"

#include <algorithm>
#include <utility>

namespace jobstrand::test {

using schema::Job;

std::string_view MemoryStore::group_of(const Job& job) const {
    return broken_ == Broken::instance_lock
               ? std::string_view()
               : schema::exclusive_group(job, schema::ExclusiveOver::instance);
}

bool MemoryStore::join_group(const Claim& claim, const Job& job) {
    const std::string_view group = group_of(job);
    if (group.empty()) {
        return true;
    }
    const auto found = groups_.find(group);
    if (found == groups_.end()) {
        groups_.emplace(
            group,
            GroupLock{
                .owner = std::string(claim.owner),
                .until = claim.until,
                .began = claim.until,
                .claimed = 1}
        );
        return true;
    }
    GroupLock& lock = found->second;
    if (lock.owner != claim.owner || schema::may_claim_of_group(lock.claimed, 1) == 0) {
        return false;
    }
    ++lock.claimed;
    lock.until = std::max(lock.until, claim.until);
    lock.began = std::min(lock.began, claim.until);
    return true;
}

std::size_t MemoryStore::take_along(
    const Claim& claim,
    std::size_t room,
    const std::set<std::string>& groups,
    std::vector<Job>& jobs
) {
    const std::size_t before = jobs.size();
    for (auto& [id, row] : rows_) {
        const bool is_taken = jobs.size() - before < room && is_free(row) &&
                              groups.contains(std::string(group_of(row.job))) &&
                              join_group(claim, row.job);
        if (is_taken) {
            lock(row.job, claim);
            jobs.push_back(row.job);
        }
    }
    return jobs.size() - before;
}

bool MemoryStore::is_group_held(std::string_view owner, const Job& job) const {
    const std::string_view group = group_of(job);
    const auto lock = groups_.find(group);
    return group.empty() || (lock != groups_.end() && lock->second.owner == owner);
}

std::vector<Job> MemoryStore::claim_waiting(const Claim& claim, std::string_view group) {
    std::vector<Job> jobs;
    for (auto& [id, row] : rows_) {
        const bool is_next = row.waits && group_of(row.job) == group &&
                             std::cmp_less(jobs.size(), schema::kMostClaimedOfGroup);
        if (is_next) {
            row.waits = false;
            lock(row.job, claim);
            jobs.push_back(row.job);
        }
    }
    return jobs;
}

}  // namespace jobstrand::test
