#include "executor/outcome_mailbox.hpp"

#include "schema/ensure.hpp"
#include "schema/limits.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace jobstrand::executor {

namespace {

using persistence::Outcome;
using schema::limits::kJobsPerTransaction;

}  // namespace

void OutcomeMailbox::add(Outcome outcome) {
    std::size_t waiting = 0;
    {
        const std::lock_guard lock(mutex_);
        waiting_.push_back(std::move(outcome));
        waiting = waiting_.size();
        ++unwritten_;
    }
    tell_of(1, waiting);
}

void OutcomeMailbox::add_together(std::vector<Outcome> outcomes) {
    JOBSTRAND_ENSURE(!outcomes.empty() && outcomes.size() <= kJobsPerTransaction);
    for (Outcome& outcome : outcomes) {
        outcome.is_with_next = &outcome != &outcomes.back();
    }
    std::size_t waiting = 0;
    {
        const std::lock_guard lock(mutex_);
        std::ranges::move(outcomes, std::back_inserter(waiting_));
        waiting = waiting_.size();
        unwritten_ += outcomes.size();
    }
    tell_of(outcomes.size(), waiting);
}

void OutcomeMailbox::tell_of(std::size_t added, std::size_t waiting) const {
    const std::size_t before = waiting - added;
    if (before == 0) {
        wake_ups_.outcomes_wait();
    }
    if (before < kJobsPerTransaction && waiting >= kJobsPerTransaction) {
        wake_ups_.outcomes_pile_up();
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
    move_first(kJobsPerTransaction - batch.size(), batch);
}

void OutcomeMailbox::take_whole(std::vector<Outcome>& batch) {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() >= kJobsPerTransaction) {
        move_first(kJobsPerTransaction - batch.size(), batch);
    }
}

void OutcomeMailbox::move_first(std::size_t most, std::vector<Outcome>& batch) {
    std::size_t count = std::min(most, waiting_.size());
    while (count > 0 && waiting_[count - 1].is_with_next) {
        --count;
    }
    const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(count);
    std::move(waiting_.begin(), end, std::back_inserter(batch));
    waiting_.erase(waiting_.begin(), end);
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
    return waiting_.empty();
}

bool OutcomeMailbox::is_all_written() const {
    const std::lock_guard lock(mutex_);
    return unwritten_ == 0;
}

}  // namespace jobstrand::executor
