#pragma once

#include "schema/text/parsing.hpp"
#include "schema/text/time_text.hpp"
#include "schema/time.hpp"
#include "timers/zone/zone.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace jobstrand::timers {

/// The time on a wall clock, to the millisecond.
using WallTime = std::chrono::local_time<schema::Duration>;

[[nodiscard]] WallTime to_wall(const Zone& zone, schema::TimePoint instant);

/// Converts as Zone::to_instant does. A time that does not exist moves on by the gap; of one that
/// comes twice the first is taken.
[[nodiscard]] schema::TimePoint to_instant(const Zone& zone, WallTime wall);

/// `times` durations after `start`, counted from there in one go: exact parts as time that passes,
/// then days, months and years on the wall clock of `zone`, in Flowable's order. 31 January and two
/// months is 31 March, and 02:30 stays 02:30 over a change of clocks. nullopt: beyond
/// schema::kLatestInstant.
[[nodiscard]] std::optional<schema::TimePoint> add(
    const Zone& zone,
    schema::TimePoint start,
    const schema::IsoDuration& duration,
    std::int64_t times = 1
);

/// The other way: exact parts as time that has passed, then days, months and years back on the wall
/// clock. nullopt: before schema::kEarliestInstant.
[[nodiscard]] std::optional<schema::TimePoint>
subtract(const Zone& zone, schema::TimePoint start, const schema::IsoDuration& duration);

/// A date that a timer text names: an instant, or a time on the wall clock of the timer's zone.
struct TimerDate {
    WallTime wall;
    bool in_zone = false;  ///< False: `wall` is UTC.

    bool operator==(const TimerDate&) const = default;

    [[nodiscard]] schema::TimePoint in(const Zone& zone) const;
};

/// Four digits and a dash: what a date begins with, and no other timer text.
[[nodiscard]] bool begins_like_date(std::string_view text);

/// Reads what schema::parse_instant reads, and the same without an offset: `2026-11-20T10:15`,
/// `2026-11-20`; these are in the timer's zone.
[[nodiscard]] schema::ParseResult<TimerDate> parse_timer_date(std::string_view text);

/// `2026-11-20T10:15:30Z`; without `Z` if it is in the zone, with milliseconds if there are any.
[[nodiscard]] std::string to_text(const TimerDate& date);

/// `P1Y2M3DT4H5M6.789S`; `PT0S` for nothing.
[[nodiscard]] std::string to_text(const schema::IsoDuration& duration);

}  // namespace jobstrand::timers
