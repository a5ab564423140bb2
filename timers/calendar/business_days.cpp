#include "timers/calendar/business_days.hpp"

#include "timers/zone/zone_time.hpp"

namespace jobstrand::timers {

Calendar weekdays_only(const Zone& zone) {
    return {{{WeeklyExclusion{}, zone}}};
}

std::optional<schema::TimePoint>
add(const Zone& zone, schema::TimePoint start, BusinessDays days, const Calendar& calendar) {
    // Ten days for each one counted leave room for any real calendar.
    const int most_days = days.count * 10 + 366;
    const WallTime wall = to_wall(zone, start);
    int counted = 0;
    for (int day = 1; day <= most_days; ++day) {
        const schema::TimePoint instant = to_instant(zone, wall + std::chrono::days{day});
        counted += is_included(calendar, instant) ? 1 : 0;
        if (counted == days.count) {
            return instant;
        }
    }
    return std::nullopt;
}

}  // namespace jobstrand::timers
