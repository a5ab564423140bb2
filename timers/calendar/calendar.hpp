#pragma once

#include "schema/time.hpp"
#include "timers/cron/cron_expression.hpp"
#include "timers/zone/zone.hpp"

#include <bitset>
#include <chrono>
#include <cstddef>
#include <optional>
#include <set>
#include <variant>
#include <vector>

namespace jobstrand::timers {

/// Single days, such as 2027-04-02.
struct HolidayExclusion {
    std::set<std::chrono::year_month_day> days;
};

/// Days of every year, such as 25 December.
struct AnnualExclusion {
    std::set<std::chrono::month_day> days;
};

/// Days of every week, 0 is Sunday; Saturday and Sunday unless said otherwise.
struct WeeklyExclusion {
    std::bitset<7> weekdays{0b1000001};
};

/// Days of every month, 1 to 31.
struct MonthlyExclusion {
    std::bitset<32> days;
};

/// A part of every day, both ends included, to the millisecond; or all but that part.
struct DailyExclusion {
    schema::Duration from;  ///< Since midnight on the wall clock.
    schema::Duration to;    ///< At or after `from`, before the next midnight.
    bool inverted = false;
};

/// The seconds that a cron text names.
struct CronExclusion {
    CronExpression cron;
};

/// Times at which no timer fires, on the wall clock of `zone`.
struct Exclusion {
    std::variant<
        HolidayExclusion,
        AnnualExclusion,
        WeeklyExclusion,
        MonthlyExclusion,
        DailyExclusion,
        CronExclusion>
        times;
    Zone zone = Zone::utc();
};

/// What timers leave out: whatever any exclusion names. One calendar is based on another by having
/// its exclusions as well.
struct Calendar {
    std::vector<Exclusion> exclusions;
};

[[nodiscard]] bool is_excluded(const Exclusion& exclusion, schema::TimePoint instant);
[[nodiscard]] bool is_included(const Calendar& calendar, schema::TimePoint instant);

/// How far next_included() looks ahead.
inline constexpr std::chrono::years kCalendarHorizon{200};

/// How many turns in a row a calendar may exclude before nobody looks for the next one.
inline constexpr int kMostExcluded = 100'000;

/// The first included instant from `from` on. nullopt: none within kCalendarHorizon, or none found
/// in a bounded number of steps.
[[nodiscard]] std::optional<schema::TimePoint>
next_included(const Calendar& calendar, schema::TimePoint from);

}  // namespace jobstrand::timers
