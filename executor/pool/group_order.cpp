#include "executor/pool/group_order.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace jobstrand::executor {

void GroupOrder::move_waiting(Group& group, std::vector<HeldJobPtr>& to) {
    waiting_ -= group.waiting.size();
    std::ranges::move(group.waiting, std::back_inserter(to));
    group.waiting.clear();
}

std::vector<HeldJobPtr> GroupOrder::admit(std::vector<HeldJobPtr> jobs) {
    const auto is_exclusive = [this](const HeldJobPtr& held) {
        return !group_of(held->job).empty();
    };
    if (std::ranges::none_of(jobs, is_exclusive)) {
        return jobs;
    }
    const std::lock_guard lock(mutex_);
    std::erase_if(jobs, [this](const HeldJobPtr& held) {
        const std::string_view group = group_of(held->job);
        return !group.empty() && !join(held, group);
    });
    return jobs;
}

/// Whether it may start.
bool GroupOrder::join(const HeldJobPtr& job, std::string_view name) {
    Group& group = groups_.try_emplace(std::string(name)).first->second;
    if (!is_any_under_way(group) && group.awaited_until <= clock_.steady_now()) {
        group = {};  // What it remembers was locked by claims whose locks have ended.
    }
    group.claims.add(1, job->job.lock_expiration.value_or(schema::TimePoint::max()));
    if (is_any_under_way(group)) {
        group.waiting.push_back(job);
        ++waiting_;
        return false;
    }
    group.first = job;
    return true;
}

std::vector<HeldJobPtr> GroupOrder::ended(std::span<const schema::Job* const> jobs) {
    std::vector<HeldJobPtr> next;
    const std::lock_guard lock(mutex_);
    if (groups_.empty()) {
        return next;
    }
    for (const schema::Job* const job : jobs) {
        const std::string_view name = group_of(*job);
        const auto group = name.empty() ? groups_.end() : groups_.find(name);
        if (group == groups_.end()) {
            continue;
        }
        if (HeldJobPtr starts = next_after(*job, group)) {
            next.push_back(std::move(starts));
        }
    }
    return next;
}

HeldJobPtr GroupOrder::next_after(const schema::Job& job, Groups::iterator group) {
    if (!leave(job, group->second) || is_any_under_way(group->second)) {
        return nullptr;
    }
    if (group->second.waiting.empty()) {
        end(group);
        return nullptr;
    }
    return take_waiting(group->second);
}

/// Whether it was under way.
bool GroupOrder::leave(const schema::Job& job, Group& group) {
    const auto is_it = [&job](const HeldJobPtr& held) { return held && &held->job == &job; };
    const auto chained = std::ranges::find_if(group.chain, is_it);
    if (is_it(group.first)) {
        group.is_any_lost = group.is_any_lost || is_lost(*group.first);
        group.first = nullptr;
    } else if (chained != group.chain.end()) {
        group.is_any_lost = group.is_any_lost || is_lost(**chained);
        group.chain.erase(chained);
    } else {
        waiting_ -= std::erase_if(group.waiting, is_it);
        return false;
    }
    return true;
}

HeldJobPtr GroupOrder::take_waiting(Group& group) {
    group.first = std::move(group.waiting.front());
    group.waiting.pop_front();
    --waiting_;
    return group.first;
}

HeldJobPtr GroupOrder::next_in_chain(
    const HeldJobPtr& former,
    const std::function<bool(const schema::Job&)>& suited
) {
    const std::lock_guard lock(mutex_);
    const auto group = groups_.find(group_of(former->job));
    const bool is_next = group != groups_.end() && group->second.first == former &&
                         !group->second.waiting.empty() && !is_lost(*former) &&
                         suited(group->second.waiting.front()->job);
    if (!is_next) {
        return nullptr;
    }
    group->second.chain.push_back(former);
    return take_waiting(group->second);
}

void GroupOrder::end(Groups::iterator group) {
    if (!group->second.is_any_lost) {
        const Claims& claims = group->second.claims;
        ended_[group->first].add(claims.count, claims.began);
    }
    groups_.erase(group);
}

std::vector<HeldJobPtr> GroupOrder::take_behind(std::span<const HeldJobPtr> jobs) {
    std::vector<HeldJobPtr> behind;
    const std::lock_guard lock(mutex_);
    for (const HeldJobPtr& held : jobs) {
        const std::string_view name = group_of(held->job);
        const auto group = name.empty() ? groups_.end() : groups_.find(name);
        if (group != groups_.end() && group->second.first == held) {
            move_waiting(group->second, behind);
        }
    }
    return behind;
}

std::vector<HeldJobPtr> GroupOrder::take_all() {
    std::vector<HeldJobPtr> jobs;
    const std::lock_guard lock(mutex_);
    for (auto& [name, group] : groups_) {
        move_waiting(group, jobs);
    }
    return jobs;
}

bool GroupOrder::has_ended_groups() const {
    const std::lock_guard lock(mutex_);
    return !ended_.empty();
}

std::vector<persistence::GroupEnd> GroupOrder::take_ended(std::size_t limit) {
    std::vector<persistence::GroupEnd> taken;
    const std::lock_guard lock(mutex_);
    while (!ended_.empty() && taken.size() < limit) {
        const auto first = ended_.begin();
        const auto& [count, began] = first->second;
        taken.push_back({.group = first->first, .claimed = count, .began = began});
        ended_.erase(first);
    }
    return taken;
}

void GroupOrder::put_back(std::span<const persistence::GroupEnd> groups) {
    const std::lock_guard lock(mutex_);
    for (const auto& [name, claimed, began] : groups) {
        if (const auto ended = ended_.find(name); ended != ended_.end()) {
            ended->second.add(claimed, began);
            continue;
        }
        Group& group = groups_[name];
        group.claims.add(claimed, began);
        group.awaited_until = clock_.steady_now() + lock_time_;
    }
}

void GroupOrder::end_again(std::span<const persistence::GroupEnd> groups) {
    const std::lock_guard lock(mutex_);
    for (const auto& [name, claimed, began] : groups) {
        const auto group = groups_.find(name);
        (group != groups_.end() ? group->second.claims : ended_[name]).add(claimed, began);
    }
}

}  // namespace jobstrand::executor
