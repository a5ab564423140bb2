#include "timers/series/misfire.hpp"

#include <algorithm>
#include <cstdint>

namespace jobstrand::timers {
namespace {

using schema::Duration;
using schema::TimePoint;

/// What `smart` means, and that a repeating timer cannot simply fire now.
SimpleMisfire resolved(const SimpleTimer& timer, SimpleMisfire instruction) {
    if (instruction == SimpleMisfire::smart) {
        if (timer.repeat_count == 0) {
            return SimpleMisfire::fire_now;
        }
        return timer.repeat_count == SimpleTimer::kForever ? SimpleMisfire::next_with_remaining
                                                           : SimpleMisfire::now_with_existing;
    }
    if (instruction == SimpleMisfire::fire_now && timer.repeat_count != 0) {
        return SimpleMisfire::now_with_remaining;
    }
    return instruction;
}

/// Turns on the grid from the missed one to `until`, which itself does not count.
std::int64_t missed_turns(const SimpleTimer& timer, TimePoint until) {
    if (!timer.next || timer.interval <= Duration::zero()) {
        return 0;
    }
    return std::max<std::int64_t>((until - *timer.next) / timer.interval, 0);
}

/// Starts anew at `now` with as many repeats as `fired` turns have left.
SimpleTimer started_anew(SimpleTimer timer, std::int64_t fired, TimePoint now) {
    if (timer.repeat_count > 0) {
        timer.repeat_count =
            static_cast<int>(std::max<std::int64_t>(timer.repeat_count - fired, 0));
        timer.times_triggered = 0;
    }
    if (timer.end && *timer.end < now) {
        timer.next = std::nullopt;
        return timer;
    }
    timer.start = now;
    timer.next = now;
    return timer;
}

SimpleTimer
on_its_grid(SimpleTimer timer, bool missed_count, TimePoint now, const Calendar* calendar) {
    const std::optional<TimePoint> next = included_time_after(timer, now, calendar);
    if (next && missed_count) {
        timer.times_triggered += missed_turns(timer, *next);
    }
    timer.next = next;
    return timer;
}

SimpleTimer fired_now(SimpleTimer timer, TimePoint now) {
    timer.next = now;
    return timer;
}

}  // namespace

std::optional<SimpleMisfire> simple_misfire(int number) {
    if (number < static_cast<int>(SimpleMisfire::ignore) ||
        number > static_cast<int>(SimpleMisfire::next_with_existing)) {
        return std::nullopt;
    }
    return static_cast<SimpleMisfire>(number);
}

std::optional<CronMisfire> cron_misfire(int number) {
    if (number < static_cast<int>(CronMisfire::ignore) ||
        number > static_cast<int>(CronMisfire::do_nothing)) {
        return std::nullopt;
    }
    return static_cast<CronMisfire>(number);
}

SimpleTimer after_misfire(
    const SimpleTimer& timer,
    SimpleMisfire instruction,
    TimePoint now,
    const Calendar* calendar
) {
    switch (resolved(timer, instruction)) {
        case SimpleMisfire::fire_now:
            return fired_now(timer, now);
        case SimpleMisfire::now_with_existing:
            return started_anew(timer, timer.times_triggered, now);
        case SimpleMisfire::now_with_remaining:
            return started_anew(timer, timer.times_triggered + missed_turns(timer, now), now);
        case SimpleMisfire::next_with_remaining:
            return on_its_grid(timer, true, now, calendar);
        case SimpleMisfire::next_with_existing:
            return on_its_grid(timer, false, now, calendar);
        case SimpleMisfire::ignore:
        case SimpleMisfire::smart:
            break;
    }
    return timer;
}

std::optional<TimePoint> after_misfire(
    const WallTimer& timer,
    std::optional<TimePoint> due,
    CronMisfire instruction,
    TimePoint now,
    const Calendar* calendar
) {
    switch (instruction) {
        case CronMisfire::smart:
        case CronMisfire::fire_once_now:
            return now;
        case CronMisfire::do_nothing:
            return time_after(timer, now, calendar);
        case CronMisfire::ignore:
            break;
    }
    return due;
}

}  // namespace jobstrand::timers
