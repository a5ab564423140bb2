#include "executor/outcome_mailbox.hpp"

#include "schema/limits.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace jobstrand::executor {

namespace {

using persistence::Outcome;
using schema::limits::kJobsPerTransaction;

/// Up to what a transaction takes.
void move_first(std::deque<Outcome>& from, std::vector<Outcome>& batch) {
    const std::size_t count = std::min(kJobsPerTransaction - batch.size(), from.size());
    const auto end = from.begin() + static_cast<std::ptrdiff_t>(count);
    std::move(from.begin(), end, std::back_inserter(batch));
    from.erase(from.begin(), end);
}

}  // namespace

void OutcomeMailbox::add(Outcome outcome) {
    bool is_first = false;
    bool is_full = false;
    {
        const std::lock_guard lock(mutex_);
        is_first = waiting() == 0;
        waiting_.push_back(std::move(outcome));
        is_full = waiting_.size() == kJobsPerTransaction;
        ++unwritten_;
    }
    if (is_first) {
        wake_ups_.outcomes_wait();
    }
    if (is_full) {
        wake_ups_.outcomes_pile_up();
    }
}

void OutcomeMailbox::add_in_order(Outcome outcome) {
    bool is_first = false;
    {
        const std::lock_guard lock(mutex_);
        is_first = waiting() == 0;
        in_order_.push_back(std::move(outcome));
        ++unwritten_;
    }
    if (is_first) {
        wake_ups_.outcomes_wait();
    }
}

void OutcomeMailbox::add_written(Outcome outcome) {
    {
        const std::lock_guard lock(mutex_);
        ended_.written.push_back(std::move(outcome));
    }
    wake_ups_.outcomes_wait();
}

void OutcomeMailbox::forget(HeldJobPtr held) {
    {
        const std::lock_guard lock(mutex_);
        ended_.forgotten.push_back(std::move(held));
    }
    wake_ups_.outcomes_wait();
}

void OutcomeMailbox::take(std::vector<Outcome>& batch) {
    const std::lock_guard lock(mutex_);
    move_first(in_order_, batch);
    move_first(waiting_, batch);
}

void OutcomeMailbox::take_whole(std::vector<Outcome>& batch) {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() >= kJobsPerTransaction) {
        move_first(waiting_, batch);
    }
}

OutcomeMailbox::Ended OutcomeMailbox::take_ended() {
    const std::lock_guard lock(mutex_);
    return std::exchange(ended_, {});
}

void OutcomeMailbox::were_written(std::size_t count) {
    const std::lock_guard lock(mutex_);
    unwritten_ -= count;
}

bool OutcomeMailbox::is_empty() const {
    const std::lock_guard lock(mutex_);
    return waiting() == 0;
}

bool OutcomeMailbox::is_all_written() const {
    const std::lock_guard lock(mutex_);
    return unwritten_ == 0;
}

}  // namespace jobstrand::executor
