#include "timers/zone/zone_time.hpp"

#include <fmt/format.h>

namespace jobstrand::timers {
namespace {

using schema::Duration;
using schema::IsoDuration;
using schema::TimePoint;

/// Instants lie at most this far apart, so that a sum of dates never leaves what chrono can hold.
constexpr std::int64_t kMostMonths = 12 * 8'030;
constexpr std::int64_t kMostDays = kMostMonths * 31;

/// nullopt: more than `most`.
std::optional<std::int64_t> product(std::int64_t a, std::int64_t b, std::int64_t most) {
    if (a != 0 && b > most / a) {
        return std::nullopt;
    }
    return a * b;
}

/// Moves to another month; a day that it does not have becomes its last.
std::chrono::year_month_day add_months(std::chrono::year_month_day date, std::int64_t months) {
    date += std::chrono::months{static_cast<int>(months)};
    return date.ok() ? date : date.year() / date.month() / std::chrono::last;
}

std::optional<TimePoint> within_bounds(TimePoint instant) {
    if (instant > schema::kLatestInstant) {
        return std::nullopt;
    }
    return instant;
}

std::string wall_text(WallTime wall) {
    std::string text = schema::format_instant(TimePoint{wall.time_since_epoch()});
    text.pop_back();
    constexpr std::string_view kNoFraction = ".000";
    if (text.ends_with(kNoFraction)) {
        text.resize(text.size() - kNoFraction.size());
    }
    return text;
}

/// Whether `2026-11-20T10:15` has no offset behind its time, or `2026-11-20` no time.
bool lacks_offset(std::string_view text) {
    const std::size_t time = text.find('T');
    return time == std::string_view::npos ||
           text.find_first_of("Z+-", time) == std::string_view::npos;
}

}  // namespace

WallTime to_wall(const Zone& zone, TimePoint instant) {
    const auto second = std::chrono::floor<std::chrono::seconds>(instant);
    return zone.to_wall(second) + (instant - second);
}

TimePoint to_instant(const Zone& zone, WallTime wall) {
    const auto second = std::chrono::floor<std::chrono::seconds>(wall);
    return zone.to_instant(second) + (wall - second);
}

std::optional<TimePoint>
add(const Zone& zone, TimePoint start, const IsoDuration& duration, std::int64_t times) {
    const auto latest = schema::kLatestInstant - schema::kEarliestInstant;
    const auto time = product(duration.time.count(), times, latest.count());
    const auto days = product(duration.days, times, kMostDays);
    const auto months = product(duration.months, times, kMostMonths);
    const auto years = product(duration.years, times, kMostMonths / 12);
    if (!time || !days || !months || !years || *days / 31 + *months + *years * 12 > kMostMonths) {
        return std::nullopt;
    }
    const TimePoint moved = start + Duration{*time};
    if (*days == 0 && *months == 0 && *years == 0) {
        return within_bounds(moved);
    }
    const WallTime wall = to_wall(zone, moved);
    const auto midnight = std::chrono::floor<std::chrono::days>(wall);
    const std::chrono::year_month_day date{midnight + std::chrono::days{*days}};
    const auto day = std::chrono::local_days{add_months(add_months(date, *months), *years * 12)};
    return within_bounds(to_instant(zone, day + (wall - midnight)));
}

std::optional<TimePoint> subtract(const Zone& zone, TimePoint start, const IsoDuration& duration) {
    const WallTime wall = to_wall(zone, start - duration.time);
    const auto midnight = std::chrono::floor<std::chrono::days>(wall);
    const std::chrono::year_month_day date{midnight - std::chrono::days{duration.days}};
    const std::int64_t months = duration.months + std::int64_t{duration.years} * 12;
    const auto day = std::chrono::local_days{add_months(date, -months)};
    const TimePoint moved = to_instant(zone, day + (wall - midnight));
    return moved < schema::kEarliestInstant ? std::nullopt : std::optional(moved);
}

TimePoint TimerDate::in(const Zone& zone) const {
    return in_zone ? to_instant(zone, wall) : TimePoint{wall.time_since_epoch()};
}

bool begins_like_date(std::string_view text) {
    return text.find_first_not_of("0123456789") == 4 && text[4] == '-';
}

schema::ParseResult<TimerDate> parse_timer_date(std::string_view text) {
    const bool in_zone = lacks_offset(text);
    const bool has_time = text.find('T') != std::string_view::npos;
    const auto instant =
        schema::parse_instant(std::string(text) + (in_zone && has_time ? "Z" : ""));
    if (!instant) {
        return schema::ParseError{
            instant.error().message, std::min(instant.error().position, text.size())};
    }
    return TimerDate{WallTime{instant.value().time_since_epoch()}, in_zone};
}

std::string to_text(const TimerDate& date) {
    return wall_text(date.wall) + (date.in_zone ? "" : "Z");
}

std::string to_text(const IsoDuration& duration) {
    std::string text = "P";
    const auto append = [&text](int number, char unit) {
        if (number != 0) {
            text += fmt::format("{}{}", number, unit);
        }
    };
    append(duration.years, 'Y');
    append(duration.months, 'M');
    append(duration.days, 'D');
    if (duration.time == Duration::zero() && text.size() > 1) {
        return text;
    }
    return text + schema::format_duration(duration.time).substr(1);
}

}  // namespace jobstrand::timers
