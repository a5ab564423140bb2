#include "executor/work/run_queue.hpp"

#include <iterator>
#include <utility>

namespace jobstrand::executor {

void RunQueue::push(HeldJobPtr job) {
    if (starts_alone(*job)) {
        alone_.push_back(std::move(job));
        return;
    }
    const std::int64_t priority = rules_.by_priority ? job->job.priority : 0;
    waiting_[priority].push_back(std::move(job));
    ++size_;
}

// Those that start alone go first: they have waited since their node died.
HeldJobPtr RunQueue::pop() {
    if (!may_start_alone()) {
        return pop_waiting();
    }
    HeldJobPtr job = std::move(alone_.front());
    alone_.pop_front();
    is_one_alone_ = true;
    return job;
}

HeldJobPtr RunQueue::pop_waiting() {
    const auto first = waiting_.begin();
    HeldJobPtr job = std::move(first->second.front());
    first->second.pop_front();
    if (first->second.empty()) {
        waiting_.erase(first);
    }
    --size_;
    return job;
}

void RunQueue::ended(const HeldJob& job) {
    if (starts_alone(job)) {
        is_one_alone_ = false;
    }
}

std::vector<HeldJobPtr> RunQueue::take_last(std::size_t count) {
    std::vector<HeldJobPtr> jobs;
    while (jobs.size() < count && size_ > 0) {
        const auto last = std::prev(waiting_.end());
        jobs.push_back(std::move(last->second.back()));
        last->second.pop_back();
        if (last->second.empty()) {
            waiting_.erase(last);
        }
        --size_;
    }
    return jobs;
}

std::vector<HeldJobPtr> RunQueue::take_all() {
    std::vector<HeldJobPtr> jobs(
        std::make_move_iterator(alone_.begin()), std::make_move_iterator(alone_.end())
    );
    alone_.clear();
    jobs.reserve(size_ + jobs.size());
    while (size_ > 0) {
        jobs.push_back(pop_waiting());
    }
    return jobs;
}

}  // namespace jobstrand::executor
