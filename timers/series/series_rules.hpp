#pragma once

#include "schema/series.hpp"
#include "schema/text/parsing.hpp"
#include "timers/calendar/wall_timer.hpp"
#include "timers/cycle/repeat_cycle.hpp"
#include "timers/series/misfire.hpp"
#include "timers/zone/zone.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace jobstrand::timers {

/// A cron text, or times of each day: Quartz's triggers of these names.
struct WallRule {
    WallTimer timer;
    CronMisfire misfire = CronMisfire::smart;
};

/// A cycle with a misfire instruction: Quartz's simple trigger.
struct SimpleRule {
    RepeatCycle cycle;  ///< As written; its period is exact.
    SimpleMisfire misfire = SimpleMisfire::smart;
};

/// A cycle without one: Flowable's.
struct GridRule {
    RepeatCycle cycle;  ///< As written.
};

/// What the texts of a series mean.
struct SeriesRules {
    std::variant<WallRule, SimpleRule, GridRule> kind;
    Zone zone = Zone::utc();
    std::optional<Calendar> calendar = {};

    [[nodiscard]] const Calendar* calendar_or_null() const {
        return calendar ? &*calendar : nullptr;
    }
};

[[nodiscard]] schema::ParseResult<SeriesRules>
read_rules(const schema::Series& series, const schema::CalendarTexts& calendars);

/// The cycle that a series repeats by, as written; nullopt: it has a cron text, or one that cannot
/// be read.
[[nodiscard]] std::optional<RepeatCycle> cycle_in(const schema::Series& series);

/// `ignore`, `smart`, `fire-now`, `now-with-existing`, `now-with-remaining`,
/// `next-with-remaining`, `next-with-existing`; or Quartz's number. nullopt: none of these.
[[nodiscard]] std::optional<SimpleMisfire> simple_misfire_named(std::string_view name);

/// `ignore`, `smart`, `fire-once-now`, `do-nothing`; or Quartz's number.
[[nodiscard]] std::optional<CronMisfire> cron_misfire_named(std::string_view name);

/// `quartz`, `run-once`.
[[nodiscard]] std::optional<DstRule> dst_rule_named(std::string_view name);

}  // namespace jobstrand::timers
