#pragma once

#include "schema/text/parsing.hpp"
#include "schema/time.hpp"
#include "timers/zone/zone.hpp"

#include <bitset>
#include <chrono>
#include <optional>
#include <string_view>

namespace jobstrand::timers {

/// Times in the course of a day, each an interval after the one before: Quartz's daily time
/// interval trigger.
///
/// | text                                           | meaning                                     |
/// |------------------------------------------------|---------------------------------------------|
/// | `every 45m from 09:00 to 16:45 on MON-FRI`     | 09:00, 09:45 ... 16:30, then the next day   |
/// | `every PT25S`                                  | all day, from midnight to 23:59:59          |
/// | `every 2h from 08:00 on MON,WED,FRI 10 times`  | ten turns in all                            |
struct DailyTimes {
    std::chrono::seconds interval;  ///< One second to 24 hours.
    schema::Duration from{0};       ///< Since midnight on the wall clock.
    schema::Duration to{std::chrono::hours{24} - std::chrono::seconds{1}};  ///< Not before `from`.
    std::bitset<7> weekdays{0b1111111};  ///< 0 is Sunday; one at least.
    std::optional<int> turns = {};       ///< None: without end.

    bool operator==(const DailyTimes&) const = default;
};

/// Whether it is meant to be one, right or wrong: it begins with `every `.
[[nodiscard]] bool begins_like_daily_times(std::string_view text);

[[nodiscard]] schema::ParseResult<DailyTimes> parse_daily_times(std::string_view text);

/// The first time after `after`, whatever the number of turns. Intervals are time that passes: on a
/// day when clocks are set forward over a time the next one is as far away as ever, and of a first
/// time that comes twice it is the second (Quartz). nullopt: beyond schema::kLatestInstant.
[[nodiscard]] std::optional<schema::TimePoint>
next_time(const DailyTimes& times, const Zone& zone, schema::TimePoint after);

}  // namespace jobstrand::timers
