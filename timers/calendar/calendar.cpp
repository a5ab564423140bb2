#include "timers/calendar/calendar.hpp"

#include "timers/zone/zone_time.hpp"

#include <algorithm>

namespace jobstrand::timers {
namespace {

using schema::Duration;
using schema::TimePoint;

constexpr Duration kDay = std::chrono::days{1};

std::chrono::local_days day_of(WallTime wall) {
    return std::chrono::floor<std::chrono::days>(wall);
}

bool excludes(const HolidayExclusion& holidays, WallTime wall) {
    return holidays.days.contains(std::chrono::year_month_day{day_of(wall)});
}

bool excludes(const AnnualExclusion& annual, WallTime wall) {
    const std::chrono::year_month_day date{day_of(wall)};
    return annual.days.contains(date.month() / date.day());
}

bool excludes(const WeeklyExclusion& weekly, WallTime wall) {
    return weekly.weekdays[std::chrono::weekday{day_of(wall)}.c_encoding()];
}

bool excludes(const MonthlyExclusion& monthly, WallTime wall) {
    return monthly.days[unsigned{std::chrono::year_month_day{day_of(wall)}.day()}];
}

bool excludes(const DailyExclusion& daily, WallTime wall) {
    const Duration time = wall - day_of(wall);
    const bool inside = time >= daily.from && time <= daily.to;
    return inside != daily.inverted;
}

bool excludes(const CronExclusion& exclusion, WallTime wall) {
    return matches(exclusion.cron, std::chrono::floor<std::chrono::seconds>(wall));
}

/// How far it is from an excluded wall time to the next one that may be included, while the clocks
/// are not changed.
template <typename DayExclusion>
Duration distance(const DayExclusion&, WallTime wall) {
    return kDay - (wall - day_of(wall));
}

Duration distance(const DailyExclusion& daily, WallTime wall) {
    const Duration time = wall - day_of(wall);
    if (!daily.inverted) {
        return daily.to + Duration{1} - time;
    }
    return time < daily.from ? daily.from - time : kDay - time;
}

/// How many values of a field follow each other from `first` on, which is one of them.
template <std::size_t size>
int run_from(const std::bitset<size>& values, std::int64_t first) {
    auto end = static_cast<std::size_t>(first);
    while (end < size && values[end]) {
        ++end;
    }
    return static_cast<int>(end) - static_cast<int>(first);
}

/// To the end of the run of values in the smallest field that the text does not leave open.
Duration distance(const CronExclusion& exclusion, WallTime wall) {
    const std::chrono::hh_mm_ss time{wall - day_of(wall)};
    const CronExpression& cron = exclusion.cron;
    if (!cron.seconds.all()) {
        return std::chrono::seconds{run_from(cron.seconds, time.seconds().count())} -
               time.subseconds();
    }
    const Duration since_minute = time.seconds() + time.subseconds();
    if (!cron.minutes.all()) {
        return std::chrono::minutes{run_from(cron.minutes, time.minutes().count())} - since_minute;
    }
    if (!cron.hours.all()) {
        return std::chrono::hours{run_from(cron.hours, time.hours().count())} - time.minutes() -
               since_minute;
    }
    return kDay - (wall - day_of(wall));
}

/// A later instant before which `exclusion`, which excludes `instant`, includes nothing.
TimePoint end_of_exclusion(const Exclusion& exclusion, TimePoint instant) {
    const ZoneSegment segment =
        exclusion.zone.segment_at(std::chrono::floor<std::chrono::seconds>(instant));
    const WallTime wall{instant.time_since_epoch() + segment.offset};
    const Duration step =
        std::visit([wall](const auto& times) { return distance(times, wall); }, exclusion.times);
    return std::min(instant + step, TimePoint{segment.end});
}

}  // namespace

bool is_excluded(const Exclusion& exclusion, TimePoint instant) {
    const WallTime wall = to_wall(exclusion.zone, instant);
    return std::visit([wall](const auto& times) { return excludes(times, wall); }, exclusion.times);
}

bool is_included(const Calendar& calendar, TimePoint instant) {
    return std::ranges::none_of(calendar.exclusions, [instant](const Exclusion& exclusion) {
        return is_excluded(exclusion, instant);
    });
}

std::optional<TimePoint>
next_included(const Calendar& calendar, TimePoint from, SearchBudget& budget) {
    const TimePoint horizon = from + kCalendarHorizon;
    const auto begin = calendar.exclusions.begin();
    const auto end = calendar.exclusions.end();
    for (TimePoint instant = from; instant < horizon;) {
        const auto excluding = std::find_if(begin, end, [instant](const Exclusion& exclusion) {
            return is_excluded(exclusion, instant);
        });
        if (excluding == end) {
            return instant;
        }
        if (!budget.spend(excluding - begin + 1)) {
            break;
        }
        instant = end_of_exclusion(*excluding, instant);
    }
    return std::nullopt;
}

}  // namespace jobstrand::timers
