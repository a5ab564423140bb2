#pragma once

#include "schema/time.hpp"
#include "timers/calendar/calendar.hpp"

#include <cstdint>
#include <optional>

namespace jobstrand::timers {

/// A timer that fires at equal distances of elapsed time: Quartz's simple trigger. It fires
/// repeat_count + 1 times in all.
struct SimpleTimer {
    static constexpr int kForever = -1;

    schema::TimePoint start;
    std::optional<schema::TimePoint> end = {};   ///< Not fired at it, or after it.
    schema::Duration interval{0};                ///< At least 1 ms if it repeats.
    int repeat_count = 0;                        ///< kForever, or >= 0.
    std::int64_t times_triggered = 0;            ///< An endless one may outgrow repeat_count.
    std::optional<schema::TimePoint> next = {};  ///< None: it has not been scheduled, or has ended.

    bool operator==(const SimpleTimer&) const = default;
};

/// The first grid time after `after`, whether a calendar excludes it or not.
[[nodiscard]] std::optional<schema::TimePoint>
time_after(const SimpleTimer& timer, schema::TimePoint after);

/// Returns what time_after does, but leaves out what `calendar` excludes, as far as a SearchBudget
/// reaches.
[[nodiscard]] std::optional<schema::TimePoint>
included_time_after(const SimpleTimer& timer, schema::TimePoint after, const Calendar* calendar);

/// The last turn there will be; nullopt: none, or without end.
[[nodiscard]] std::optional<schema::TimePoint> final_time(const SimpleTimer& timer);

/// The timer with its first turn as `next`.
[[nodiscard]] SimpleTimer scheduled(SimpleTimer timer, const Calendar* calendar = nullptr);

/// The timer after its `next` has fired.
[[nodiscard]] SimpleTimer fired(SimpleTimer timer, const Calendar* calendar = nullptr);

}  // namespace jobstrand::timers
