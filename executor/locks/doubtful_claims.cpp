#include "executor/locks/doubtful_claims.hpp"

#include <chrono>

namespace jobstrand::executor {

namespace {

/// Between two looks for what a commit may still bring.
constexpr schema::Duration kLook = std::chrono::seconds(1);

}  // namespace

void DoubtfulClaims::add(schema::TimePoint until, schema::SteadyPoint locked_at) {
    {
        const std::lock_guard lock(mutex_);
        doubts_.push_back({.until = until, .locked_at = locked_at});
    }
    if (wake_) {
        wake_();
    }
}

schema::Duration DoubtfulClaims::run_once() {
    std::vector<Doubt> doubts;
    {
        const std::lock_guard lock(mutex_);
        std::erase_if(doubts_, [now = clock_.now()](const Doubt& doubt) {
            return doubt.until <= now;
        });
        doubts = doubts_;
    }
    for (const Doubt& doubt : doubts) {
        std::vector<schema::Job> jobs = store_.take_up(
            {.owner = intake_.lock_owner(), .until = doubt.until, .now = clock_.now()}
        );
        if (jobs.empty()) {
            continue;
        }
        {
            const std::lock_guard lock(mutex_);
            std::erase_if(doubts_, [&](const Doubt& one) { return one.until == doubt.until; });
        }
        intake_.accept(std::move(jobs), doubt.locked_at);
    }
    const std::lock_guard lock(mutex_);
    return doubts_.empty() ? kUntilWoken : kLook;
}

}  // namespace jobstrand::executor
