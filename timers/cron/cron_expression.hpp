#pragma once

#include "schema/text/parsing.hpp"
#include "timers/cron/cron_days.hpp"

#include <bitset>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace jobstrand::timers {

/// The years that Quartz documents. Its code stops 100 years after the current year instead, which
/// depends on the day it is asked.
inline constexpr int kFirstCronYear = 1970;
inline constexpr int kLastCronYear = 2199;
inline constexpr std::size_t kCronYears = kLastCronYear - kFirstCronYear + 1;

/// The wall clock times that a cron text names: every time whose fields are all in these sets.
struct CronExpression {
    std::bitset<60> seconds;
    std::bitset<60> minutes;
    std::bitset<24> hours;
    CronDays days;
    std::bitset<13> months;         ///< 1 is January.
    std::bitset<kCronYears> years;  ///< 0 is kFirstCronYear.

    bool operator==(const CronExpression&) const = default;
};

/// Reads a cron text, in capitals or not:
///
/// - Quartz, six or seven fields: seconds, minutes, hours, day of month, month, day of week, and
///   perhaps the year. Lists (`,`), ranges (`-`, which may wrap: `22-2`, `FRI-MON`), steps (`/`),
///   names. One of the two day fields must be `?`. Day of month: `L` the last, `L-3` three days
///   before it, `15W` the weekday nearest to the 15th within the month, `LW`, `L-3W`. Day of week:
///   `L` Saturday, `6L` the last Friday, `6#3` the third Friday.
/// - Unix, five fields: minutes, hours, day of month, month, day of week. If both day fields are
///   restricted (neither begins with `*`), either of them is enough.
/// - `@yearly` (`@annually`), `@monthly`, `@weekly`, `@daily` (`@midnight`), `@hourly`: as Unix.
///
/// **The days of the week have different numbers**: in Quartz 1 is Sunday and 7 Saturday; in Unix
/// 0 and 7 are Sunday and 6 is Saturday. Names mean the same in both.
///
/// What Quartz reads and then silently ignores is refused here: text behind a number, a name or
/// `?`, a step behind a name (`MON-FRI/2`), a step of 0, a second part beside `6#3`.
[[nodiscard]] schema::ParseResult<CronExpression> parse_cron(std::string_view text);

[[nodiscard]] bool matches(const CronExpression& expression, std::chrono::local_seconds wall);

}  // namespace jobstrand::timers
