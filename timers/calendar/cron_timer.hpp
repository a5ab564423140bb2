#pragma once

#include "timers/calendar/calendar.hpp"
#include "timers/cron/cron_schedule.hpp"

#include <optional>

namespace jobstrand::timers {

/// A timer that fires by a cron text: Quartz's cron trigger.
struct CronTimer {
    CronExpression cron;
    Zone zone = Zone::utc();
    DstRule rule = DstRule::quartz;
    std::optional<schema::TimePoint> start = {};  ///< Not fired before it.
    std::optional<schema::TimePoint> end = {};    ///< Not fired after it.
};

/// The first time after `after` that is not excluded. nullopt: there is none, or it lies behind
/// more excluded times than a SearchBudget pays for.
[[nodiscard]] std::optional<schema::TimePoint>
time_after(const CronTimer& timer, schema::TimePoint after, const Calendar* calendar = nullptr);

}  // namespace jobstrand::timers
