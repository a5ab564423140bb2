#pragma once

#include "schema/text/parsing.hpp"
#include "schema/time.hpp"
#include "timers/calendar/business_days.hpp"
#include "timers/calendar/daily_times.hpp"
#include "timers/cron/cron_expression.hpp"
#include "timers/cycle/iso_interval.hpp"
#include "timers/cycle/repeat_cycle.hpp"
#include "timers/zone/spoken_time.hpp"
#include "timers/zone/zone_time.hpp"

#include <cstddef>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

namespace jobstrand::timers {

/// When a timer is due, in any of the forms that users write:
///
/// | text                             | alternative                                              |
/// |----------------------------------|----------------------------------------------------------|
/// | `0 0 12 ? * MON-FRI`, `@daily`   | CronExpression                                           |
/// | `2026-11-20T10:15:30Z`           | TimerDate; also of `PT1H/END` and `START/END`: at END    |
/// | `every 45m from 09:00 to 17:00`  | DailyTimes                                               |
/// | `PT10M`                          | schema::IsoDuration: once, after that time               |
/// | `2026-11-20T10:15:30Z/P1D`       | IsoInterval: once, at START and the duration             |
/// | `R3/PT10H`, `R/START/P1D`        | RepeatCycle                                              |
/// | `3 business days`                | BusinessDays                                             |
/// | `tomorrow 09:00`, `in 5m`        | SpokenTime; also a date in a zone of its own             |
using TimerExpression = std::variant<
    CronExpression,
    DailyTimes,
    TimerDate,
    schema::IsoDuration,
    IsoInterval,
    RepeatCycle,
    BusinessDays,
    SpokenTime>;

/// Blanks around the text do not matter.
[[nodiscard]] schema::ParseResult<TimerExpression> parse_timer_expression(std::string_view text);

/// When a timer that is enqueued at `after` fires, at most `count` times: all after `after`, but
/// for a duration of nothing. Excluded times are left out of what repeats; business days without a
/// calendar are Monday to Friday.
[[nodiscard]] std::vector<schema::TimePoint> next_times(
    const TimerExpression& expression,
    const TimerContext& context,
    schema::TimePoint after,
    std::size_t count
);

/// When a job with this due date is due that is enqueued at `now`: the first of next_times, and a
/// date also when it has passed. nullopt: never.
[[nodiscard]] std::optional<schema::TimePoint>
due_time(const TimerExpression& expression, const TimerContext& context, schema::TimePoint now);

}  // namespace jobstrand::timers
