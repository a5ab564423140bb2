#include "executor/pool/run_queue.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace jobstrand::executor {

namespace {

HeldJobPtr take_first(std::deque<HeldJobPtr>& jobs) {
    HeldJobPtr job = std::move(jobs.front());
    jobs.pop_front();
    return job;
}

}  // namespace

void RunQueue::push(HeldJobPtr job) {
    if (job->job.lost_starts > 0) {
        (starts_alone(*job) ? alone_ : suspected_).push_back(std::move(job));
        return;
    }
    ++size_;
    if (rules_.goes_first && rules_.goes_first(job->job)) {
        first_.push_back(std::move(job));
        return;
    }
    waiting_[schema::order_key(rules_.order, job->job)].push_back(std::move(job));
}

// Suspected jobs go first: they have waited since their node died.
HeldJobPtr RunQueue::pop() {
    if (may_start_alone()) {
        is_one_alone_ = true;
        return take_first(alone_);
    }
    if (may_start_suspected()) {
        ++suspected_running_;
        return take_first(suspected_);
    }
    return pop_waiting();
}

HeldJobPtr RunQueue::pop_waiting() {
    if (!first_.empty()) {
        --size_;
        return take_first(first_);
    }
    const auto first = waiting_.begin();
    HeldJobPtr job = take_first(first->second);
    if (first->second.empty()) {
        waiting_.erase(first);
    }
    --size_;
    return job;
}

void RunQueue::ended(const HeldJob& job) {
    if (starts_alone(job)) {
        is_one_alone_ = false;
    } else if (job.job.lost_starts > 0) {
        --suspected_running_;
    }
}

std::vector<HeldJobPtr> RunQueue::take_last(std::size_t count) {
    std::vector<HeldJobPtr> jobs;
    while (jobs.size() < count && !waiting_.empty()) {
        const auto last = std::prev(waiting_.end());
        jobs.push_back(std::move(last->second.back()));
        last->second.pop_back();
        if (last->second.empty()) {
            waiting_.erase(last);
        }
        --size_;
    }
    while (jobs.size() < count && !first_.empty()) {
        jobs.push_back(std::move(first_.back()));
        first_.pop_back();
        --size_;
    }
    return jobs;
}

std::vector<HeldJobPtr> RunQueue::take_all() {
    std::vector<HeldJobPtr> jobs;
    jobs.reserve(size());
    for (std::deque<HeldJobPtr>* const queue : {&alone_, &suspected_}) {
        std::ranges::move(*queue, std::back_inserter(jobs));
        queue->clear();
    }
    while (size_ > 0) {
        jobs.push_back(pop_waiting());
    }
    return jobs;
}

}  // namespace jobstrand::executor
