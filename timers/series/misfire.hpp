#pragma once

#include "schema/time.hpp"
#include "timers/calendar/simple_timer.hpp"
#include "timers/calendar/wall_timer.hpp"

#include <optional>

namespace jobstrand::timers {

/// org.quartz.jobStore.misfireThreshold (R119).
inline constexpr schema::Duration kMisfireThreshold = std::chrono::minutes{1};

/// Whether a turn was due so long ago that its timer's misfire instruction decides about it.
[[nodiscard]] constexpr bool is_misfired(
    schema::TimePoint due,
    schema::TimePoint now,
    schema::Duration threshold = kMisfireThreshold
) {
    return due < now - threshold;
}

/// What becomes of the missed turns of a simple timer; the numbers are Quartz's.
enum class SimpleMisfire {
    ignore = -1,   ///< All missed turns fire, one at once after the other (R132).
    smart = 0,     ///< No repeats: fire_now; endless: next_with_remaining; else now_with_existing.
    fire_now = 1,  ///< One turn now; if it repeats, as now_with_remaining (R131).
    now_with_existing = 2,   ///< Starts anew now with the turns that had not fired (R134).
    now_with_remaining = 3,  ///< Starts anew now; missed turns count as fired (R136, R137).
    /// Goes on at the next grid time; missed turns count as fired (R135).
    next_with_remaining = 4,
    next_with_existing = 5,  ///< Goes on at the next grid time (R133).
};

/// What becomes of the missed turns of a cron timer; the numbers are Quartz's.
enum class CronMisfire {
    ignore = -1,        ///< All missed turns fire, one at once after the other (R129).
    smart = 0,          ///< fire_once_now.
    fire_once_now = 1,  ///< One turn now, then the schedule (R130).
    do_nothing = 2,     ///< Goes on at the next time of the schedule (R128).
};

/// nullopt: Quartz has no such number.
[[nodiscard]] std::optional<SimpleMisfire> simple_misfire(int number);
[[nodiscard]] std::optional<CronMisfire> cron_misfire(int number);

/// The timer after its misfire instruction was applied at `now`, as Quartz computes it. No `next`:
/// it has ended.
[[nodiscard]] SimpleTimer after_misfire(
    const SimpleTimer& timer,
    SimpleMisfire instruction,
    schema::TimePoint now,
    const Calendar* calendar = nullptr
);

/// The due date that replaces a missed one; nullopt: the timer has ended.
[[nodiscard]] std::optional<schema::TimePoint> after_misfire(
    const WallTimer& timer,
    std::optional<schema::TimePoint> due,
    CronMisfire instruction,
    schema::TimePoint now,
    const Calendar* calendar = nullptr
);

}  // namespace jobstrand::timers
