#pragma once

#include "timers/calendar/calendar.hpp"
#include "timers/calendar/daily_times.hpp"
#include "timers/cron/cron_schedule.hpp"

#include <optional>
#include <variant>

namespace jobstrand::timers {

/// A timer that fires by a wall clock: Quartz's cron trigger, or its daily time interval trigger.
struct WallTimer {
    std::variant<CronExpression, DailyTimes> times;
    Zone zone = Zone::utc();
    DstRule rule = DstRule::quartz;               ///< Of a cron text.
    std::optional<schema::TimePoint> start = {};  ///< Not fired before it.
    std::optional<schema::TimePoint> end = {};    ///< Not fired after it.
};

/// The first time after `after` that is not excluded. nullopt: there is none, or it lies behind
/// more excluded times than a SearchBudget pays for.
[[nodiscard]] std::optional<schema::TimePoint>
time_after(const WallTimer& timer, schema::TimePoint after, const Calendar* calendar = nullptr);

}  // namespace jobstrand::timers
