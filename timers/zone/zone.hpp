#pragma once

#include "schema/text/parsing.hpp"
#include "schema/time.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

namespace date {
class time_zone;
}

namespace jobstrand::timers {

/// A stretch of time in which a zone's offset from UTC stays the same.
struct ZoneSegment {
    std::chrono::sys_seconds begin;
    std::chrono::sys_seconds end;  ///< The first instant of the next segment.
    std::chrono::seconds offset;   ///< How far the wall clock is ahead of UTC.

    [[nodiscard]] std::chrono::local_seconds wall(std::chrono::sys_seconds instant) const {
        return std::chrono::local_seconds{instant.time_since_epoch() + offset};
    }
    [[nodiscard]] std::chrono::sys_seconds instant(std::chrono::local_seconds wall_time) const {
        return std::chrono::sys_seconds{wall_time.time_since_epoch() - offset};
    }
};

/// Where the segments of a zone begin and end that never change.
inline constexpr std::chrono::sys_seconds kBeginOfTime =
    std::chrono::sys_days{std::chrono::year{-9999} / 1 / 1};
inline constexpr std::chrono::sys_seconds kEndOfTime =
    std::chrono::sys_days{std::chrono::year{19999} / 1 / 1};

struct ZoneRule;

/// Which of two instants a wall clock time means that comes twice, when clocks are set back.
enum class Twice { first, second };

/// A time zone of the system's time zone database. Cheap to copy.
///
/// Thread safety: any number of threads may use one object.
class Zone {
public:
    [[nodiscard]] static Zone utc();

    /// Finds a zone by its IANA name, such as `Europe/Berlin`. The error for an unknown name
    /// suggests a near one.
    [[nodiscard]] static schema::ParseResult<Zone> find(std::string_view name);

    [[nodiscard]] const std::string& name() const;

    [[nodiscard]] ZoneSegment segment_at(std::chrono::sys_seconds instant) const;

    [[nodiscard]] std::chrono::local_seconds to_wall(std::chrono::sys_seconds instant) const {
        return segment_at(instant).wall(instant);
    }

    /// A time that does not exist, because clocks were set forward over it, counts with the offset
    /// before the change: 02:30 in a gap from 02:00 to 03:00 is 03:30.
    [[nodiscard]] std::chrono::sys_seconds
    to_instant(std::chrono::local_seconds wall, Twice twice = Twice::first) const;

    /// `2026-11-20T11:15:30+01:00`, with milliseconds if there are any; `Z` for UTC itself.
    [[nodiscard]] std::string format(schema::TimePoint instant) const;

    friend bool operator==(const Zone& a, const Zone& b) { return a.listed_ == b.listed_; }

private:
    Zone(const date::time_zone* listed, std::shared_ptr<const ZoneRule> rule)
        : listed_(listed), rule_(std::move(rule)) {}

    const date::time_zone* listed_;         ///< Lives as long as the program; none: UTC.
    std::shared_ptr<const ZoneRule> rule_;  ///< After the last listed change; may be missing.
};

}  // namespace jobstrand::timers
