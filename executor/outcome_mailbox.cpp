#include "executor/outcome_mailbox.hpp"

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
    std::size_t count = 0;
    {
        const std::lock_guard lock(mutex_);
        waiting_.push_back(std::move(outcome));
        count = waiting_.size();
        ++unwritten_;
    }
    if (count == 1) {
        wake_ups_.outcomes_wait();
    } else if (count == kJobsPerTransaction) {
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
    move_first(std::min(kJobsPerTransaction - batch.size(), waiting_.size()), batch);
}

void OutcomeMailbox::take_whole(std::vector<Outcome>& batch) {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() >= kJobsPerTransaction) {
        move_first(kJobsPerTransaction - batch.size(), batch);
    }
}

void OutcomeMailbox::move_first(std::size_t count, std::vector<Outcome>& batch) {
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
