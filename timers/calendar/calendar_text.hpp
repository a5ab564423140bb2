#pragma once

#include "schema/series.hpp"
#include "schema/text/parsing.hpp"
#include "timers/calendar/calendar.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace jobstrand::timers {

/// A calendar as its author writes it: lines, or parts between semicolons, each of which excludes
/// more.
///
/// | line                            | excludes                                                  |
/// |---------------------------------|-----------------------------------------------------------|
/// | `holidays 2027-03-26 2027-03-29`| single days                                               |
/// | `annual 12-25 01-01`            | days of every year                                        |
/// | `weekly SAT SUN`                | days of every week                                        |
/// | `monthly 1 15`                  | days of every month                                       |
/// | `daily 12:00-13:00`             | a part of every day, both ends included                   |
/// | `daily except 09:00-17:00`      | all of every day but that part                            |
/// | `cron * * 0-7,18-23 ? * *`      | the seconds that a cron text names                        |
/// | `zone Europe/Berlin`            | nothing: the wall clock of the lines behind it; else UTC  |
/// | `based on NAME`                 | what that calendar excludes; once                         |
struct CalendarText {
    Calendar calendar;
    std::string based_on = {};  ///< Empty: on none.
};

[[nodiscard]] schema::ParseResult<CalendarText> parse_calendar(std::string_view text);

/// How many calendars one is based on at most, one after the other.
inline constexpr std::size_t kMostBases = 16;

/// The calendar of that name with all that it is based on. The error of a wrong text begins with
/// the name of its calendar.
[[nodiscard]] schema::ParseResult<Calendar>
find_calendar(std::string_view name, const schema::CalendarTexts& texts);

/// Whether the calendar `name` is `base`, or is based on it, also by way of others.
[[nodiscard]] bool
hangs_on(std::string_view name, std::string_view base, const schema::CalendarTexts& texts);

}  // namespace jobstrand::timers
