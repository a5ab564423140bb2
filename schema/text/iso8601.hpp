#pragma once

#include "schema/text/parse_result.hpp"
#include "schema/time.hpp"

#include <chrono>
#include <string>
#include <string_view>

namespace jobstrand::schema {

/// The longest duration that a text may name.
inline constexpr Duration kLongestDuration = std::chrono::years{1000};

/// An ISO 8601 duration such as `P1Y2M3DT4H5M6.789S` or `P2W`. Calendar parts stay apart from exact
/// ones, because a month has no fixed length. All parts are >= 0.
struct IsoDuration {
    int years = 0;
    int months = 0;
    int days = 0;  ///< Weeks are counted as seven days.
    Duration time{0};

    bool operator==(const IsoDuration&) const = default;
};

/// Reads a duration. Not accepted: an empty one (`P`, `PT`), signs, parts out of order, fractions
/// of anything but seconds, and lengths above 1,000 years. Fractions beyond a millisecond are
/// dropped.
[[nodiscard]] ParseResult<IsoDuration> parse_iso_duration(std::string_view text);

/// A duration setting: an ISO duration without years and months, or a plain number of milliseconds.
[[nodiscard]] ParseResult<Duration> parse_duration(std::string_view text);

/// Adds the calendar parts in UTC (31 January + P1M = 28 or 29 February), then the exact ones.
[[nodiscard]] TimePoint operator+(TimePoint start, const IsoDuration& duration);

/// Reads `2026-11-20T10:15:30.123Z`, with `+01:00` in place of `Z`, without seconds or fraction, or
/// a date alone (midnight UTC). Years 1970 to 9999, in UTC. MySQL's timestamp columns end earlier,
/// on 19 January 2038: refusing what lies beyond is up to persistence, which knows the database.
[[nodiscard]] ParseResult<TimePoint> parse_instant(std::string_view text);

/// `2026-11-20T10:15:30.123Z`: always UTC, always milliseconds.
[[nodiscard]] std::string format_instant(TimePoint instant);

/// `PT1M30.5S`: hours, minutes, seconds; `PT0S` for zero.
[[nodiscard]] std::string format_duration(Duration duration);

}  // namespace jobstrand::schema
