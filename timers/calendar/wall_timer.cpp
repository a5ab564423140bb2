#include "timers/calendar/wall_timer.hpp"

#include <algorithm>

namespace jobstrand::timers {
namespace {

using schema::TimePoint;

constexpr std::chrono::seconds kOneSecond{1};

std::optional<TimePoint> time_of(const WallTimer& timer, TimePoint after) {
    if (const auto* const daily = std::get_if<DailyTimes>(&timer.times)) {
        return next_time(*daily, timer.zone, after);
    }
    return next_time(std::get<CronExpression>(timer.times), timer.zone, timer.rule, after);
}

std::optional<TimePoint> regular_time_after(const WallTimer& timer, TimePoint after) {
    const TimePoint from = timer.start ? std::max(after, *timer.start - kOneSecond) : after;
    const auto time = time_of(timer, from);
    if (!time || (timer.end && *time > *timer.end)) {
        return std::nullopt;
    }
    return time;
}

}  // namespace

std::optional<TimePoint>
time_after(const WallTimer& timer, TimePoint after, const Calendar* calendar) {
    std::optional<TimePoint> time = regular_time_after(timer, after);
    if (calendar == nullptr) {
        return time;
    }
    SearchBudget budget;
    while (time && budget.spend(kLooksPerCronTime)) {
        const std::optional<TimePoint> included = next_included(*calendar, *time, budget);
        if (!included || *included == *time) {
            return included;
        }
        // A whole excluded stretch is left out at once. Only whole seconds fire: the first one that
        // is included is the earliest candidate.
        const auto from = std::chrono::ceil<std::chrono::seconds>(*included);
        time = regular_time_after(timer, from - kOneSecond);
    }
    return std::nullopt;
}

}  // namespace jobstrand::timers
