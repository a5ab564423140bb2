#pragma once

#include "timers/calendar/calendar.hpp"
#include "timers/cron/cron_schedule.hpp"
#include "timers/zone/zone.hpp"

namespace jobstrand::timers {

/// What the text of a timer does not say.
struct TimerContext {
    Zone zone = Zone::utc();
    DstRule rule = DstRule::quartz;
    const Calendar* calendar = nullptr;  ///< None: nothing is excluded. Outlives this object.
};

}  // namespace jobstrand::timers
