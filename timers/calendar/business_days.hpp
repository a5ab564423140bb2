#pragma once

#include "schema/time.hpp"
#include "timers/calendar/calendar.hpp"
#include "timers/zone/zone.hpp"

#include <optional>

namespace jobstrand::timers {

/// A due date a number of business days ahead.
struct BusinessDays {
    int count = 1;  ///< 1 to kMostBusinessDays.

    bool operator==(const BusinessDays&) const = default;
};

/// About forty years.
inline constexpr int kMostBusinessDays = 10'000;

/// Saturday and Sunday are not business days.
[[nodiscard]] Calendar weekdays_only(const Zone& zone);

/// Returns the same wall clock time `days` business days after `start`: days on which that time is
/// included in `calendar`. The day of `start` does not count. nullopt: there are not as many.
[[nodiscard]] std::optional<schema::TimePoint>
add(const Zone& zone, schema::TimePoint start, BusinessDays days, const Calendar& calendar);

}  // namespace jobstrand::timers
