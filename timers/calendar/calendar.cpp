#include "timers/calendar/calendar.hpp"

#include "timers/zone/zone_time.hpp"

#include <algorithm>

namespace jobstrand::timers {
namespace {

using schema::Duration;
using schema::TimePoint;

constexpr Duration kDay = std::chrono::days{1};

/// A step skips a day or a part of one, in the worst case a second.
constexpr int kMostSteps = 200'000;

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

/// The whole of the smallest unit that the text does not leave open.
Duration distance(const CronExclusion& exclusion, WallTime wall) {
    Duration unit = kDay;
    if (!exclusion.cron.seconds.all()) {
        unit = std::chrono::seconds{1};
    } else if (!exclusion.cron.minutes.all()) {
        unit = std::chrono::minutes{1};
    } else if (!exclusion.cron.hours.all()) {
        unit = std::chrono::hours{1};
    }
    return unit - (wall - day_of(wall)) % unit;
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

std::optional<TimePoint> next_included(const Calendar& calendar, TimePoint from) {
    const TimePoint horizon = from + kCalendarHorizon;
    TimePoint instant = from;
    for (int step = 0; step < kMostSteps && instant < horizon; ++step) {
        const auto excluding =
            std::ranges::find_if(calendar.exclusions, [instant](const Exclusion& exclusion) {
                return is_excluded(exclusion, instant);
            });
        if (excluding == calendar.exclusions.end()) {
            return instant;
        }
        instant = end_of_exclusion(*excluding, instant);
    }
    return std::nullopt;
}

}  // namespace jobstrand::timers
