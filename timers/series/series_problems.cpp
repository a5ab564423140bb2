#include "timers/series/series_problems.hpp"

#include "timers/calendar/calendar_text.hpp"
#include "timers/series/series_planner.hpp"
#include "timers/series/series_rules.hpp"
#include "timers/zone/zone.hpp"

namespace jobstrand::timers {

namespace {

using schema::CalendarTexts;
using schema::Series;

/// Those that name a field; the others are about several fields together.
void check_fields(
    const Series& series,
    const CalendarTexts& calendars,
    std::vector<std::string>& problems
) {
    if (const auto zone = Zone::find(series.zone); !zone) {
        problems.push_back("zone: " + zone.error().message);
    }
    if (!dst_rule_named(series.dst_rule)) {
        problems.emplace_back("dst must be quartz or run-once");
    }
    if (series.calendar.empty()) {
        return;
    }
    if (const auto calendar = find_calendar(series.calendar, calendars); !calendar) {
        problems.push_back("calendar: " + calendar.error().message);
    }
}

}  // namespace

std::optional<schema::ParseError> problem_of_repeat(const std::string& repeat) {
    Series alone;
    alone.repeat = repeat;
    const auto rules = read_rules(alone, {});
    return rules ? std::nullopt : std::optional(rules.error());
}

std::vector<std::string> problems_of_new(
    const Series& series,
    const CalendarTexts& calendars,
    const std::optional<schema::TimePoint>& first_due,
    schema::TimePoint now
) {
    std::vector<std::string> problems = schema::problems_of(series);
    check_fields(series, calendars, problems);
    if (!problems.empty()) {
        return problems;
    }
    const SeriesPlanner planner;
    if (const auto begun = planner.begin(series, calendars, first_due, now); !begun) {
        problems.push_back(begun.error().message);
    }
    return problems;
}

}  // namespace jobstrand::timers
