#pragma once

#include <bitset>
#include <chrono>
#include <optional>

namespace jobstrand::timers {

/// The days that the two day fields of a cron text name.
struct CronDays {
    enum class Rule { of_month, of_week, either, both };

    /// The third Friday: `6#3` in Quartz.
    struct NthWeekday {
        unsigned weekday = 0;  ///< 0 is Sunday.
        unsigned nth = 1;      ///< 1 to 5; a month without a fifth one has no such day.

        bool operator==(const NthWeekday&) const = default;
    };

    Rule rule = Rule::both;
    std::bitset<32> of_month;             ///< 1 to 31.
    std::bitset<31> before_last;          ///< `L` is 0, `L-3` is 3.
    std::bitset<32> nearest_weekday;      ///< `15W`; a month without the day has none.
    std::bitset<31> weekday_before_last;  ///< `LW` is 0, `L-3W` is 3.
    std::bitset<7> of_week;               ///< 0 is Sunday.
    std::optional<unsigned> last_of_week;
    std::optional<NthWeekday> nth_of_week;

    bool operator==(const CronDays&) const = default;

    /// Bit n says whether day n of the month is named.
    [[nodiscard]] std::bitset<32> in(std::chrono::year_month month) const;
};

}  // namespace jobstrand::timers
