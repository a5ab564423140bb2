#include "timers/series/next_turns.hpp"

#include <algorithm>
#include <optional>

namespace jobstrand::timers {

namespace {

constexpr int kMostTurnsTried = 100'000;

}  // namespace

schema::ParseResult<std::vector<schema::TimePoint>> next_turns(
    const schema::SeriesSchedule& schedule,
    schema::Series series,
    const schema::CalendarTexts& calendars,
    schema::TimePoint now,
    schema::TimePoint after,
    std::size_t count
) {
    std::vector<schema::TimePoint> times;
    std::optional<schema::TimePoint> due = series.next_fire;
    for (int turn = 0; due && times.size() < count && turn < kMostTurnsTried; ++turn) {
        const schema::TimePoint begins = std::max(*due, now);
        const auto plan = schedule.plan(series, calendars, *due, begins);
        if (!plan) {
            return plan.error();
        }
        if (plan.value().fires && begins > after) {
            times.push_back(begins);
        }
        due = plan.value().next_due;
        series = plan.value().series;
    }
    return times;
}

}  // namespace jobstrand::timers
