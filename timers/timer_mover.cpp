#include "timers/timer_mover.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

namespace jobstrand::timers {

namespace {

/// The wait when timers are due that cannot be moved: another node is moving them right now.
constexpr schema::Duration kContendedWait = std::chrono::milliseconds(20);

}  // namespace

schema::Duration TimerMover::run_once() {
    const bool is_from_the_oldest = cursor_.is_at_start();
    if (is_from_the_oldest) {
        const std::optional<schema::TimePoint> due = use_.store.next_due();
        const schema::TimePoint now = use_.clock.now();
        if (!due || *due > now) {
            return due ? std::min(settings_.wait, *due - now) : settings_.wait;
        }
    }
    const bool has_moved_some = move_page() > 0;
    return has_moved_some || !is_from_the_oldest ? schema::Duration{0}
                                                 : std::min(settings_.wait, kContendedWait);
}

std::size_t TimerMover::move_page() {
    const std::size_t room = use_.intake.room_for_handoffs();
    const schema::TimePoint now = use_.clock.now();
    const schema::SteadyPoint locked_at = use_.clock.steady_now();
    std::optional<persistence::LockClaim> claim;
    if (room > 0) {
        claim = {.owner = use_.intake.lock_owner(), .until = now + use_.intake.lock_time()};
    }
    const std::size_t limit = claim ? std::min(room, settings_.page) : settings_.page;
    persistence::DueWindow window{now, settings_.fire_ahead, cursor_.position()};
    window.turns_made_before = round_;
    persistence::DueTimers due =
        use_.store.move_due_timers(window, limit, claim, use_.intake.handler_types());
    cursor_.advance(due.moved, limit, due.end);
    round_ = due.moved < limit ? std::nullopt : std::optional(round_.value_or(now));
    if (!due.locked.empty()) {
        use_.intake.accept(std::move(due.locked), locked_at);
    }
    if (!claim && due.moved > 0) {
        use_.wake_ups.jobs_are_there();
    }
    return due.moved;
}

}  // namespace jobstrand::timers
