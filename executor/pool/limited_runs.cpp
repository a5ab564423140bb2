#include "executor/pool/limited_runs.hpp"

#include <algorithm>
#include <utility>

namespace jobstrand::executor {

void LimitedRuns::add(const std::vector<schema::Job>& jobs) {
    for (const schema::Job& job : jobs) {
        if (meets_limit(job)) {
            const std::lock_guard lock(mutex_);
            ids_.insert(job.id);
            are_any_ = true;
        }
    }
}

bool LimitedRuns::left_worker(const schema::Job& job) {
    if (!are_any_) {
        return false;
    }
    const std::lock_guard lock(mutex_);
    auto id = ids_.extract(job.id);
    if (id.empty()) {
        return false;
    }
    without_worker_.insert(std::move(id));
    return true;
}

bool LimitedRuns::ended(std::span<const schema::Job* const> jobs) {
    if (!are_any_) {
        return false;
    }
    const std::lock_guard lock(mutex_);
    bool was_any = false;
    for (const schema::Job* const job : jobs) {
        was_any = ids_.erase(job->id) + without_worker_.erase(job->id) > 0 || was_any;
    }
    are_any_ = !ids_.empty() || !without_worker_.empty();
    return was_any;
}

std::size_t LimitedRuns::room() const {
    if (!are_any_) {
        return workers_;
    }
    const std::lock_guard lock(mutex_);
    return workers_ - std::min(workers_, ids_.size());
}

}  // namespace jobstrand::executor
