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

TimerMover::TimerMover(
    persistence::TimerStore& store,
    executor::JobIntake& intake,
    const schema::Clock& clock,
    std::vector<std::string> handler_types,
    Settings settings
)
    : store_(store),
      intake_(intake),
      clock_(clock),
      handler_types_(std::move(handler_types)),
      settings_(settings) {}

schema::Duration TimerMover::run_once() {
    const bool is_from_the_oldest = cursor_.is_at_start();
    if (is_from_the_oldest) {
        const std::optional<schema::TimePoint> due = store_.next_due();
        const schema::TimePoint now = clock_.now();
        if (!due || *due > now) {
            return due ? std::min(settings_.wait, *due - now) : settings_.wait;
        }
    }
    const bool has_moved_some = move_page() > 0;
    return has_moved_some || !is_from_the_oldest ? schema::Duration{0}
                                                 : std::min(settings_.wait, kContendedWait);
}

std::size_t TimerMover::move_page() {
    const std::size_t room = intake_.room_for_handoffs();
    const schema::TimePoint now = clock_.now();
    const schema::SteadyPoint locked_at = clock_.steady_now();
    std::optional<persistence::LockClaim> claim;
    if (room > 0) {
        claim = {.owner = intake_.lock_owner(), .until = now + intake_.lock_time()};
    }
    const std::size_t limit = claim ? std::min(room, settings_.page) : settings_.page;
    const persistence::DueWindow window{now, settings_.fire_ahead, cursor_.position()};
    persistence::DueTimers due = store_.move_due_timers(window, limit, claim, handler_types_);
    cursor_.advance(due.moved, limit, due.end);
    if (!due.locked.empty()) {
        intake_.accept(std::move(due.locked), locked_at);
    }
    if (!claim && due.moved > 0) {
        intake_.wake();
    }
    return due.moved;
}

}  // namespace jobstrand::timers
