#include "executor/workers/external_deadlines.hpp"

namespace jobstrand::executor {

void ExternalDeadlines::begun(std::span<const schema::Job> jobs, schema::TimePoint now) {
    if (!limits_.are_any()) {
        return;
    }
    bool is_earlier = false;
    {
        const std::lock_guard lock(mutex_);
        for (const schema::Job& job : jobs) {
            const auto limit = limits_.of(job.handler_type);
            const auto known = entries_.find(job.id);
            const bool is_known =
                known != entries_.end() && known->second.held.revision == job.revision;
            if (!limit || is_known) {
                continue;
            }
            forget(job.id);
            if (entries_.size() >= kMostHeld) {
                continue;
            }
            const schema::TimePoint deadline = now + *limit;
            is_earlier = is_earlier || order_.empty() || deadline < order_.begin()->first;
            order_.emplace(deadline, job.id);
            entries_[job.id] = {
                .held = {job.id, job.revision, job.lock_owner, *limit}, .deadline = deadline};
        }
    }
    if (is_earlier && wake_) {
        wake_();
    }
}

void ExternalDeadlines::ended(const std::string& job) {
    if (limits_.are_any()) {
        const std::lock_guard lock(mutex_);
        forget(job);
    }
}

void ExternalDeadlines::forget(const std::string& job) {
    if (const auto found = entries_.find(job); found != entries_.end()) {
        order_.erase({found->second.deadline, job});
        entries_.erase(found);
    }
}

std::vector<ExternalDeadlines::Held> ExternalDeadlines::take_late(schema::TimePoint now) {
    std::vector<Held> late;
    const std::lock_guard lock(mutex_);
    while (!order_.empty() && order_.begin()->first <= now) {
        const auto entry = entries_.extract(order_.begin()->second);
        late.push_back(std::move(entry.mapped().held));
        order_.erase(order_.begin());
    }
    return late;
}

std::optional<schema::TimePoint> ExternalDeadlines::next() {
    const std::lock_guard lock(mutex_);
    return order_.empty() ? std::nullopt : std::optional(order_.begin()->first);
}

}  // namespace jobstrand::executor
