#pragma once

#include "schema/text/parsing.hpp"
#include "timers/zone/zone.hpp"

#include <chrono>
#include <optional>
#include <string_view>

namespace jobstrand::timers {

/// A day of the year at a wall clock time, as a zone's rule writes it: `M3.2.0/2` is the second
/// Sunday of March at 02:00, `J60` the 60th day without counting 29 February, `59` the 60th day
/// with it.
struct YearlyMoment {
    enum class Kind { weekday_of_month, day_without_leap_day, day_of_year };

    Kind kind = Kind::weekday_of_month;
    int month = 1;
    int week = 1;     ///< 5 is the last one.
    int weekday = 0;  ///< 0 is Sunday.
    int day = 0;
    std::chrono::seconds time = std::chrono::hours{2};  ///< May lie outside the day.

    [[nodiscard]] std::chrono::local_seconds in(std::chrono::year year) const;
};

/// How a zone goes on after the last change that its file lists: the POSIX text in the file's last
/// line, such as `EST5EDT,M3.2.0,M11.1.0`.
struct ZoneRule {
    struct Summer {
        std::chrono::seconds offset;
        YearlyMoment begin;
        YearlyMoment end;
    };

    std::chrono::seconds offset{0};
    std::optional<Summer> summer;

    [[nodiscard]] ZoneSegment segment_at(std::chrono::sys_seconds instant) const;
};

[[nodiscard]] schema::ParseResult<ZoneRule> parse_zone_rule(std::string_view text);

}  // namespace jobstrand::timers
