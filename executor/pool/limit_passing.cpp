#include "executor/pool/limit_passing.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace jobstrand::executor {

namespace {

/// How often it looks for room that others have made.
constexpr schema::Duration kLimitLook = std::chrono::seconds(1);

/// How often it looks for what a fast rate lets start.
constexpr schema::Duration kRateLook = std::chrono::milliseconds(20);

}  // namespace

schema::Duration LimitPassing::run_once() {
    if (const schema::Duration wait = until_there_may_be_any(); wait > schema::Duration{0}) {
        return wait;
    }
    if (use_.clock.steady_now() >= refresh_at_) {
        refresh();
    }
    // Without limits nothing waits, but for what a limit has left behind that was just removed.
    const schema::Duration later = are_any_ ? kLimitLook : refresh_interval_;
    const persistence::PageLimit room = use_.intake.room_for_limited();
    if (room.jobs == 0) {
        return later;
    }
    const schema::SteadyPoint locked_at = use_.clock.steady_now();
    const persistence::LockClaim claim = claim_for(use_.intake, use_.clock);
    if (behind_.empty()) {
        until_next_ = later;
    }
    persistence::LimitedJobs taken = run_claim(use_.intake, claim.until, locked_at, [&] {
        return use_.store.acquire_limited(claim, *use_.intake.served(), room, behind_);
    });
    behind_ = std::move(taken.end);
    until_next_ = std::min(until_next_, taken.until_next.value_or(later));
    const bool has_more = !taken.jobs.empty() || !behind_.empty();
    if (!taken.jobs.empty()) {
        use_.intake.accept(std::move(taken.jobs), locked_at);
    }
    return has_more ? schema::Duration{0} : std::max(until_next_, kRateLook);
}

// What it goes by is never older than if it had looked itself.
schema::Duration LimitPassing::until_there_may_be_any() const {
    if (are_any_ || !behind_.empty() || use_.view == nullptr) {
        return schema::Duration{0};
    }
    const auto age =
        use_.view->none_of(&persistence::IdleView::has_limits, use_.clock.steady_now());
    return age ? refresh_interval_ - *age : schema::Duration{0};
}

void LimitPassing::refresh() {
    are_any_ = use_.store.refresh_limits();
    refresh_at_ = use_.clock.steady_now() + refresh_interval_;
}

}  // namespace jobstrand::executor
