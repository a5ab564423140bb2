#pragma once

#include "schema/time.hpp"
#include "timers/cron/cron_expression.hpp"
#include "timers/zone/zone.hpp"

#include <bitset>
#include <chrono>
#include <cstddef>
#include <cstdint>
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

/// How much may be done to find one due date. It pays for a look at each day up to the horizon, and
/// then some; that takes a few milliseconds. Due dates that are found at all cost a fraction of it.
class SearchBudget final {
public:
    /// `looks`: exclusions that were looked at. false: nothing is left, so give up.
    [[nodiscard]] bool spend(std::int64_t looks) {
        left_ -= looks;
        return left_ >= 0;
    }

private:
    std::int64_t left_ = 100'000;
};

/// What it costs to find the next time of a cron text, and of a grid, in looks.
inline constexpr std::int64_t kLooksPerCronTime = 50;
inline constexpr std::int64_t kLooksPerGridTime = 15;

/// The first included instant from `from` on. nullopt: there is none within kCalendarHorizon, or
/// the budget is spent.
[[nodiscard]] std::optional<schema::TimePoint>
next_included(const Calendar& calendar, schema::TimePoint from, SearchBudget& budget);

}  // namespace jobstrand::timers
