#pragma once

#include <jobstrand/time.hpp>

#include <chrono>

namespace jobstrand::schema {

using jobstrand::Duration;

// Zones exist only in the texts that users read and write.
using jobstrand::TimePoint;

/// The instants that texts, SQLite and PostgreSQL can hold: years 1970 to 9999.
inline constexpr TimePoint kEarliestInstant{};
inline constexpr TimePoint kLatestInstant =
    std::chrono::sys_days{std::chrono::year{9999} / 12 / 31} + std::chrono::days{1} - Duration{1};

/// A reading of a clock that never jumps; only for measuring how long something takes.
using SteadyPoint = std::chrono::steady_clock::time_point;

}  // namespace jobstrand::schema
