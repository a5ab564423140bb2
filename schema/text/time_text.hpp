#pragma once

#include "schema/text/parsing.hpp"
#include "schema/time.hpp"

#include <chrono>
#include <optional>
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

/// A duration as people write it: `5m`, `1h30m`, `500ms`, `2 days`, or in ISO 8601, `PT5M`.
///
/// Units, each once and the larger first, also as whole words: w, d, h, m (a minute), s, ms. A
/// number without a unit is refused, because readers would guess different ones; so are signs and
/// fractions, except of seconds. Days and weeks are calendar parts of the answer, as in ISO 8601.
[[nodiscard]] ParseResult<IsoDuration> parse_spoken_duration(std::string_view text);

/// Reads a duration as an exact length. Refuses years and months, which have none; a day is 24
/// hours.
[[nodiscard]] ParseResult<Duration> parse_exact_duration(std::string_view text);

/// A time of the day, as the time since midnight UTC: `20:00`, or with an offset from UTC,
/// `20:00+0200`, `20:00+02:00` (Camunda's form). nullopt: it is none.
[[nodiscard]] std::optional<Duration> parse_time_of_day(std::string_view text);

/// The hours of each day in which something is done; it may begin on one day and end on the next.
class DayWindow final {
public:
    /// Without a start and an end it is open all day.
    DayWindow() = default;

    /// Each is 0 to 24 h, since midnight UTC; with equal ones, all day.
    DayWindow(Duration start, Duration end) : start_(start), end_(end) {}

    /// nullopt: a text is no time of the day, or only one of the two is there.
    [[nodiscard]] static std::optional<DayWindow> of(std::string_view start, std::string_view end);

    [[nodiscard]] bool contains(TimePoint time) const;

    /// Returns how long to wait until it is open; zero: it is open.
    [[nodiscard]] Duration wait_at(TimePoint time) const;

private:
    Duration start_{0};
    Duration end_{0};
};

}  // namespace jobstrand::schema
