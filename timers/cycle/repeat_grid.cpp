#include "timers/cycle/repeat_grid.hpp"

#include "timers/zone/zone_time.hpp"

#include <algorithm>

namespace jobstrand::timers {
namespace {

using schema::Duration;
using schema::TimePoint;

}  // namespace

std::optional<TimePoint> RepeatGrid::at(std::int64_t index) const {
    return add(zone_, start_, period_, index);
}

std::int64_t RepeatGrid::index_after(TimePoint instant) const {
    if (instant < start_) {
        return 0;
    }
    // All periods together differ from their mean length by a few days at most.
    const TimePoint target = std::min(instant, schema::kLatestInstant);
    std::int64_t index = (target - start_) / mean_period() + 1;
    while (index > 1 && is_after(index - 1, target)) {
        --index;
    }
    while (!is_after(index, target)) {
        ++index;
    }
    return index;
}

std::optional<std::int64_t> RepeatGrid::included_from(std::int64_t index, const Calendar& calendar)
    const {
    const std::optional<TimePoint> first = at(index);
    SearchBudget budget;
    while (budget.spend(kLooksPerGridTime)) {
        const std::optional<TimePoint> time = at(index);
        if (!time || *time > *first + kCalendarHorizon) {
            return std::nullopt;
        }
        const std::optional<TimePoint> included = next_included(calendar, *time, budget);
        if (!included) {
            return std::nullopt;
        }
        if (*included == *time) {
            return index;
        }
        index = index_after(*included - Duration{1});
    }
    return std::nullopt;
}

bool RepeatGrid::is_after(std::int64_t index, TimePoint instant) const {
    const std::optional<TimePoint> time = at(index);
    return !time || *time > instant;
}

Duration RepeatGrid::mean_period() const {
    return period_.years * Duration{std::chrono::years{1}} +
           period_.months * Duration{std::chrono::months{1}} +
           period_.days * Duration{std::chrono::days{1}} + period_.time;
}

}  // namespace jobstrand::timers
