#include "timers/calendar/simple_timer.hpp"

#include <algorithm>

namespace jobstrand::timers {
namespace {

using schema::Duration;
using schema::TimePoint;

bool is_past_its_end(const SimpleTimer& timer, TimePoint time) {
    return timer.end && *timer.end <= time;
}

bool has_turns_left(const SimpleTimer& timer) {
    return timer.repeat_count == SimpleTimer::kForever ||
           timer.times_triggered <= timer.repeat_count;
}

std::optional<TimePoint> next_of_grid(const SimpleTimer& timer, TimePoint after) {
    if (after < timer.start) {
        return timer.start;
    }
    if (timer.repeat_count == 0 || timer.interval <= Duration::zero()) {
        return std::nullopt;
    }
    const std::int64_t index = (after - timer.start) / timer.interval + 1;
    if (timer.repeat_count != SimpleTimer::kForever && index > timer.repeat_count) {
        return std::nullopt;
    }
    return timer.start + index * timer.interval;
}

/// From `time` on, the first turn that is not excluded.
std::optional<TimePoint>
included_from(const SimpleTimer& timer, std::optional<TimePoint> time, const Calendar* calendar) {
    if (calendar == nullptr || !time) {
        return time;
    }
    const TimePoint horizon = *time + kCalendarHorizon;
    SearchBudget budget;
    while (time && *time < horizon && budget.spend(kLooksPerGridTime)) {
        const std::optional<TimePoint> included = next_included(*calendar, *time, budget);
        if (!included || *included == *time) {
            return included;
        }
        time = time_after(timer, *included - Duration{1});
    }
    return std::nullopt;
}

}  // namespace

std::optional<TimePoint> time_after(const SimpleTimer& timer, TimePoint after) {
    if (!has_turns_left(timer) || is_past_its_end(timer, after)) {
        return std::nullopt;
    }
    const std::optional<TimePoint> time = next_of_grid(timer, after);
    return time && is_past_its_end(timer, *time) ? std::nullopt : time;
}

std::optional<TimePoint>
included_time_after(const SimpleTimer& timer, TimePoint after, const Calendar* calendar) {
    return included_from(timer, time_after(timer, after), calendar);
}

std::optional<TimePoint> final_time(const SimpleTimer& timer) {
    const bool forever = timer.repeat_count == SimpleTimer::kForever;
    if (forever && !timer.end) {
        return std::nullopt;
    }
    const TimePoint last =
        forever ? TimePoint::max() : timer.start + timer.repeat_count * timer.interval;
    if (!timer.end || last < *timer.end) {
        return last;
    }
    const Duration room = *timer.end - Duration{1} - timer.start;
    if (room < Duration::zero()) {
        return std::nullopt;
    }
    return timer.interval > Duration::zero() ? *timer.end - Duration{1} - room % timer.interval
                                             : timer.start;
}

SimpleTimer scheduled(SimpleTimer timer, const Calendar* calendar) {
    timer.next = included_from(timer, timer.start, calendar);
    return timer;
}

SimpleTimer fired(SimpleTimer timer, const Calendar* calendar) {
    ++timer.times_triggered;
    timer.next = included_time_after(timer, timer.next.value_or(timer.start), calendar);
    return timer;
}

}  // namespace jobstrand::timers
