#include "timers/series/due_check.hpp"

#include "timers/cycle/repeat_grid.hpp"
#include "timers/series/series_rules.hpp"

#include <variant>

namespace jobstrand::timers {

namespace {

using schema::Duration;
using schema::TimePoint;

bool is_exact(const schema::IsoDuration& period) {
    return period.years == 0 && period.months == 0 && period.days == 0;
}

bool is_time_of(const WallRule& rule, const SeriesRules&, const schema::Series&, TimePoint due) {
    return time_after(rule.timer, due - Duration{1}) == due;
}

bool is_time_of(
    const GridRule& rule,
    const SeriesRules& rules,
    const schema::Series& series,
    TimePoint due
) {
    if (!series.start || is_exact(rule.cycle.period)) {
        return true;
    }
    const RepeatGrid grid(*series.start, rule.cycle.period, rules.zone);
    return grid.at(grid.index_after(due - Duration{1})) == due;
}

bool is_time_of(const SimpleRule&, const SeriesRules&, const schema::Series&, TimePoint) {
    return true;
}

}  // namespace

bool is_due_by_text(const schema::Series& series) {
    // The calendar only leaves turns out, and is not needed to say where they can be.
    schema::Series without_calendar = series;
    without_calendar.calendar.clear();
    const auto rules = read_rules(without_calendar, {});
    if (!rules || !series.next_fire || rules.value().zone.name() == Zone::utc().name()) {
        return true;
    }
    return std::visit(
        [&](const auto& rule) {
            return is_time_of(rule, rules.value(), series, *series.next_fire);
        },
        rules.value().kind
    );
}

}  // namespace jobstrand::timers
