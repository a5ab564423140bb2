#include "test/simulation/memory_store.hpp"

#include "persistence/rows/move_jobs.hpp"
#include "schema/concurrency.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace jobstrand::test {

using persistence::Fence;
using persistence::GroupEnd;
using persistence::GroupsPassedOn;
using persistence::LockSearch;
using persistence::Outcome;
using persistence::OutcomeAnswer;
using schema::Job;
using schema::JobPlace;
using schema::TimePoint;

/// One transaction.
template <typename Work>
auto MemoryStore::operation(const Work& work) {
    hooks_.before();
    if constexpr (std::is_void_v<decltype(work())>) {
        work();
        hooks_.after();
    } else {
        auto answer = work();
        hooks_.after();
        return answer;
    }
}

void MemoryStore::add(Job job) {
    std::string id = job.id;
    rows_.emplace(std::move(id), Row{.job = std::move(job)});
}

std::optional<TimePoint> MemoryStore::move_due_timers(TimePoint now) {
    std::optional<TimePoint> next;
    for (auto& [id, row] : rows_) {
        if (row.place != JobPlace::timer) {
            continue;
        }
        if (*row.job.due_date <= now) {
            row.place = JobPlace::executable;
            ++row.job.revision;
        } else {
            next = std::min(next.value_or(*row.job.due_date), *row.job.due_date);
        }
    }
    return next;
}

void MemoryStore::lock(Job& job, const Claim& claim) {
    job.lock_owner = claim.owner;
    job.lock_expiration = claim.until;
    ++job.revision;
}

void MemoryStore::free(Job& job) {
    job.lock_owner.clear();
    job.lock_expiration.reset();
    ++job.revision;
}

bool MemoryStore::is_free(const Row& row) {
    return row.place == JobPlace::executable && row.job.lock_owner.empty() && !row.waits;
}

bool MemoryStore::has_acquirable(const Served&, std::string_view after, std::string_view before) {
    return operation([&] {
        return std::any_of(rows_.upper_bound(after), rows_.end(), [before](const auto& named) {
            return is_free(named.second) && (before.empty() || named.first < before);
        });
    });
}

std::vector<Job> MemoryStore::acquire(
    const Claim& claim,
    const Served&,
    persistence::PageLimit limit,
    std::string_view after
) {
    return operation([&] {
        std::vector<Job> jobs;
        persistence::SeenRows seen;
        std::set<std::string> taken;
        for (auto at = rows_.upper_bound(after); at != rows_.end() && seen.end.empty(); ++at) {
            Row& row = at->second;
            if (!is_free(row) || (!limit.before.empty() && at->first >= limit.before)) {
                continue;
            }
            const std::string group(group_of(row.job));
            const bool is_new = !group.empty() && !groups_.contains(group);
            if (!join_group(claim, row.job)) {
                row.waits = true;
                ++seen.waiting;
            } else {
                lock(row.job, claim);
                jobs.push_back(row.job);
                if (is_new) {
                    taken.insert(group);
                }
            }
            if (jobs.size() + seen.waiting == limit.jobs) {
                seen.end = row.job.id;
            }
        }
        seen.same_instance = take_along(claim, limit.same_instance, taken, jobs);
        if (limit.seen != nullptr) {
            *limit.seen = seen;
        }
        return jobs;
    });
}

MemoryStore::Row* MemoryStore::held(std::string_view owner, std::string_view id, int revision) {
    const auto found = rows_.find(id);
    const bool is_held = found != rows_.end() && found->second.place == JobPlace::executable &&
                         found->second.job.lock_owner == owner &&
                         found->second.job.revision == revision;
    return is_held ? &found->second : nullptr;
}

OutcomeAnswer MemoryStore::apply_one(std::string_view owner, const Outcome& outcome) {
    Row* row = held(owner, outcome.job->id, outcome.job->revision);
    if (broken_ == Broken::fence && row == nullptr) {
        const auto found = rows_.find(outcome.job->id);
        row = found == rows_.end() ? nullptr : &found->second;
    } else if (row != nullptr && !is_group_held(owner, *outcome.job)) {
        row = nullptr;
    }
    if (row == nullptr) {
        return OutcomeAnswer::lost_lock;
    }
    if (outcome.transition.to == JobPlace::executable) {
        free(row->job);
        return OutcomeAnswer::done;
    }
    hooks_.on_end(row->job);
    if (!outcome.transition.to) {
        rows_.erase(outcome.job->id);
        return OutcomeAnswer::done;
    }
    schema::PlacedJob placed = persistence::moved(std::move(row->job), outcome.transition);
    *row = {.place = placed.place, .job = std::move(placed.job)};
    return OutcomeAnswer::done;
}

std::vector<OutcomeAnswer>
MemoryStore::apply(std::string_view owner, std::span<const Outcome> outcomes) {
    return operation([&] {
        std::vector<OutcomeAnswer> answers;
        for (const Outcome& outcome : outcomes) {
            answers.push_back(apply_one(owner, outcome));
        }
        return answers;
    });
}

MemoryStore::Strings MemoryStore::not_held(std::string_view owner, Fences fences) {
    return operation([&] {
        Strings gone;
        for (const Fence& fence : fences) {
            if (held(owner, fence.id, fence.revision) == nullptr) {
                gone.push_back(fence.id);
            }
        }
        return gone;
    });
}

MemoryStore::Strings MemoryStore::extend_locks(const Claim& claim, Fences fences) {
    return operation([&] {
        Strings lost;
        for (const Fence& fence : fences) {
            Row* const row = held(claim.owner, fence.id, fence.revision);
            if (broken_ == Broken::renewal) {
                continue;
            }
            if (row == nullptr || !is_group_held(claim.owner, row->job)) {
                lost.push_back(fence.id);
                continue;
            }
            row->job.lock_expiration = claim.until;
            if (const auto group = groups_.find(group_of(row->job)); group != groups_.end()) {
                group->second.until = std::max(group->second.until, claim.until);
            }
        }
        return lost;
    });
}

std::vector<schema::Job> MemoryStore::take_up(const Claim& claim) {
    return operation([&] {
        std::vector<schema::Job> jobs;
        for (const auto& [id, row] : rows_) {
            if (row.place == JobPlace::executable && row.job.lock_owner == claim.owner &&
                row.job.lock_expiration == claim.until) {
                jobs.push_back(row.job);
            }
        }
        return jobs;
    });
}

void MemoryStore::release(std::string_view owner, Fences fences) {
    operation([&] {
        for (const Fence& fence : fences) {
            if (Row* const row = held(owner, fence.id, fence.revision)) {
                free(row->job);
            }
        }
    });
}

bool MemoryStore::count_start(std::string_view owner, const Fence& fence, schema::TimePoint next) {
    return operation([&] {
        Row* const row = held(owner, fence.id, fence.revision);
        if (row != nullptr) {
            ++row->job.lost_starts;
            row->job.due_date = next;
        }
        return row != nullptr;
    });
}

void MemoryStore::uncount_starts(std::span<const std::string> ids) {
    operation([&] {
        for (const std::string& id : ids) {
            if (const auto found = rows_.find(id); found != rows_.end()) {
                found->second.job.lost_starts = std::max(0, found->second.job.lost_starts - 1);
            }
        }
    });
}

persistence::LockReset MemoryStore::reset_expired_locks(JobPlace place, const LockSearch& search) {
    const auto is_meant = [&](const std::string& owner) {
        return search.owners.empty() ||
               std::ranges::find(search.owners, owner) != search.owners.end();
    };
    return operation([&] {
        persistence::LockReset reset;
        for (auto& [id, row] : rows_) {
            const bool is_expired = row.place == place && !row.job.lock_owner.empty() &&
                                    *row.job.lock_expiration < search.now &&
                                    is_meant(row.job.lock_owner);
            if (is_expired) {
                free(row.job);
                ++row.job.lost_starts;
                ++reset.freed;
            }
        }
        return reset;
    });
}

GroupsPassedOn MemoryStore::pass_on(
    const Claim& claim,
    const Served&,
    std::size_t,
    std::span<const GroupEnd> groups
) {
    return operation([&] {
        GroupsPassedOn passed;
        for (const GroupEnd& end : groups) {
            const auto lock = groups_.find(end.group);
            if (lock == groups_.end() || lock->second.owner != claim.owner) {
                continue;
            }
            if (lock->second.claimed != end.claimed || lock->second.began != end.began) {
                passed.busy.push_back(end);
                continue;
            }
            std::vector<Job> jobs = claim_waiting(claim, end.group);
            if (jobs.empty()) {
                groups_.erase(lock);
                continue;
            }
            lock->second.claimed = std::ssize(jobs);
            lock->second.began = claim.until;
            lock->second.until = std::max(lock->second.until, claim.until);
            std::ranges::move(jobs, std::back_inserter(passed.jobs));
        }
        return passed;
    });
}

std::int64_t MemoryStore::reset_expired_groups(TimePoint now, std::span<const std::string> owners) {
    return operation([&] {
        const auto is_over = [&](const auto& lock) {
            const bool is_asked =
                owners.empty() || std::ranges::find(owners, lock.owner) != owners.end();
            return is_asked && lock.until < now;
        };
        std::int64_t freed = 0;
        for (auto& [id, row] : rows_) {
            const auto lock = row.waits ? groups_.find(group_of(row.job)) : groups_.end();
            if (lock != groups_.end() && is_over(lock->second)) {
                row.waits = false;
                ++freed;
            }
        }
        std::erase_if(groups_, [&](const auto& named) { return is_over(named.second); });
        return freed;
    });
}

// REV_ stays, as in the real store: until a reset frees the job, the node may come back to it.
void MemoryStore::end_locks(std::string_view owner, TimePoint now) {
    const TimePoint over = now - schema::Duration(1);
    for (auto& [id, row] : rows_) {
        if (row.job.lock_owner == owner) {
            row.job.lock_expiration = std::min(*row.job.lock_expiration, over);
        }
    }
    for (auto& [name, lock] : groups_) {
        if (lock.owner == owner) {
            lock.until = std::min(lock.until, over);
        }
    }
}

void MemoryStore::register_node(
    const persistence::NodeIdentity& identity,
    const Served&,
    TimePoint now,
    TimePoint until
) {
    operation([&] {
        if (leases_.erase(identity.node) > 0) {
            end_locks(identity.node, now);
        }
        leases_[identity.node] = {.incarnation = identity.incarnation, .until = until};
    });
}

persistence::LeaseAnswer MemoryStore::renew_lease(
    const persistence::NodeIdentity& identity,
    const persistence::NodeLoad&,
    TimePoint until
) {
    return operation([&] {
        const auto lease = leases_.find(identity.node);
        if (lease == leases_.end()) {
            return persistence::LeaseAnswer{};
        }
        const bool is_held = lease->second.incarnation == identity.incarnation;
        if (is_held) {
            lease->second.until = until;
        }
        return persistence::LeaseAnswer{.is_held = is_held, .is_taken_over = !is_held};
    });
}

std::int64_t MemoryStore::living_before(std::string_view node, TimePoint now) {
    return operation([&] {
        return std::ranges::count_if(leases_, [&](const auto& named) {
            return named.first < node && named.second.until >= now;
        });
    });
}

MemoryStore::Strings MemoryStore::end_expired_leases(const persistence::LeaseLook& look) {
    return operation([&] {
        const bool is_first = std::ranges::none_of(leases_, [&](const auto& named) {
            return named.first < look.by && named.second.until >= look.now;
        });
        const TimePoint over = is_first ? look.now : look.now - look.patience;
        Strings ended;
        for (const auto& [node, lease] : leases_) {
            if (lease.until < over) {
                ended.push_back(node);
                end_locks(node, look.now);
            }
        }
        std::erase_if(leases_, [&](const auto& named) { return named.second.until < over; });
        return ended;
    });
}

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
