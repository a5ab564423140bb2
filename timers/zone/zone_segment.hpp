#pragma once

#include <chrono>

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

}  // namespace jobstrand::timers
