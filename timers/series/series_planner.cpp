#include "timers/series/series_planner.hpp"

#include "timers/calendar/calendar_text.hpp"
#include "timers/series/series_rules.hpp"

#include <algorithm>
#include <utility>

namespace jobstrand::timers {
namespace {

using schema::CalendarTexts;
using schema::Duration;
using schema::ParseError;
using schema::ParseResult;
using schema::Series;
using schema::TimePoint;
using schema::TurnPlan;

TimerDate utc_date(TimePoint time) {
    return {WallTime{time.time_since_epoch()}, false};
}

std::optional<TimerDate> utc_date(const std::optional<TimePoint>& time) {
    return time ? std::optional(utc_date(*time)) : std::nullopt;
}

std::optional<TimePoint> in(const Zone& zone, const std::optional<TimerDate>& date) {
    return date ? std::optional(date->in(zone)) : std::nullopt;
}

TimerContext context_of(const SeriesRules& rules) {
    return {.zone = rules.zone, .calendar = rules.calendar_or_null()};
}

std::optional<int> turns_left(const Series& series) {
    return series.total_turns
               ? std::optional(static_cast<int>(*series.total_turns - series.turns_taken))
               : std::nullopt;
}

/// A cycle as far as its series has come.
RepeatCycle cycle_left(const RepeatCycle& written, const Series& series) {
    return {turns_left(series), utc_date(series.start), written.period, utc_date(series.end)};
}

/// A simple timer as far as its series has come; it waits for `due`.
SimpleTimer timer_of(const SimpleRule& rule, const Series& series, TimePoint due) {
    SimpleTimer timer{.start = series.start.value_or(due), .interval = rule.cycle.period.time};
    // A series may still fire at its end; Quartz's simple trigger does not.
    timer.end = series.end ? std::optional(*series.end + Duration{1}) : std::nullopt;
    timer.repeat_count =
        series.total_turns ? static_cast<int>(*series.total_turns - 1) : SimpleTimer::kForever;
    timer.times_triggered = series.turns_taken;
    timer.next = due;
    return timer;
}

/// Notes what the rules made of a timer.
void note(const SimpleTimer& timer, Series& series) {
    series.start = timer.start;
    series.turns_taken = timer.times_triggered;
    if (series.total_turns) {
        series.total_turns = std::int64_t{timer.repeat_count} + 1;
    }
}

// The first turn. Each returns its due date; nullopt: there is none.

std::optional<TimePoint>
first_due(const WallRule& rule, const SeriesRules& rules, Series& series, TimePoint now) {
    // A start that has passed begins the schedule there; what was missed is the misfire rule's.
    const TimePoint after = series.start ? *series.start - std::chrono::seconds{1} : now;
    return time_after(rule.timer, after, rules.calendar_or_null());
}

std::optional<TimePoint>
first_due(const SimpleRule& rule, const SeriesRules& rules, Series& series, TimePoint now) {
    const TimePoint begin = series.start.value_or(now + rule.cycle.period.time);
    const SimpleTimer timer = scheduled(timer_of(rule, series, begin), rules.calendar_or_null());
    series.start = timer.start;
    return timer.next && time_after(timer, *timer.next - Duration{1}) ? timer.next : std::nullopt;
}

std::optional<TimePoint>
first_due(const GridRule& rule, const SeriesRules& rules, Series& series, TimePoint now) {
    const auto turn = first_turn(cycle_left(rule.cycle, series), context_of(rules), now);
    if (!turn) {
        return std::nullopt;
    }
    series.start = in(rules.zone, turn->cycle.start);
    return turn->due;
}

/// What a cycle says about its series; a cron text says nothing, and times of each day how many.
void take_over(const RepeatCycle& cycle, const Zone& zone, Series& series) {
    if (cycle.start) {
        series.start = cycle.start->in(zone);
    }
    if (cycle.end) {
        series.end = cycle.end->in(zone);
    }
    series.total_turns = cycle.turns;
}

const DailyTimes* daily_times_of(const SeriesRules& rules) {
    const auto* const rule = std::get_if<WallRule>(&rules.kind);
    return rule == nullptr ? nullptr : std::get_if<DailyTimes>(&rule->timer.times);
}

Series begun(Series series, const SeriesRules& rules) {
    series.turns_taken = 0;
    series.total_turns = std::nullopt;
    if (const auto* simple = std::get_if<SimpleRule>(&rules.kind)) {
        take_over(simple->cycle, rules.zone, series);
    } else if (const auto* grid = std::get_if<GridRule>(&rules.kind)) {
        take_over(grid->cycle, rules.zone, series);
    } else if (const auto* daily = daily_times_of(rules)) {
        series.total_turns = daily->turns;
    }
    return series;
}

// A turn is taken. Each answers whether it fires, and the due date of the next one.

struct Taken {
    bool fires = true;
    std::optional<TimePoint> next = {};
};

struct Moment {
    TimePoint due;
    TimePoint now;
    bool is_misfired = false;
};

Taken take(const WallRule& rule, const SeriesRules& rules, Series& series, Moment moment) {
    const Calendar* const calendar = rules.calendar_or_null();
    std::optional<TimePoint> fire = moment.due;
    if (moment.is_misfired) {
        fire = after_misfire(rule.timer, moment.due, rule.misfire, moment.now, calendar);
    }
    if (!fire || *fire > moment.now) {
        return {false, fire};
    }
    const bool was_last = series.total_turns && ++series.turns_taken >= *series.total_turns;
    return {true, was_last ? std::nullopt : time_after(rule.timer, *fire, calendar)};
}

Taken take(const SimpleRule& rule, const SeriesRules& rules, Series& series, Moment moment) {
    const Calendar* const calendar = rules.calendar_or_null();
    SimpleTimer timer = timer_of(rule, series, moment.due);
    if (moment.is_misfired) {
        timer = after_misfire(timer, rule.misfire, moment.now, calendar);
    }
    const bool fires = timer.next && *timer.next <= moment.now;
    if (fires) {
        timer = fired(timer, calendar);
    }
    note(timer, series);
    return {fires, timer.next};
}

Taken take(const GridRule& rule, const SeriesRules& rules, Series& series, Moment moment) {
    const auto turn =
        turn_after(cycle_left(rule.cycle, series), context_of(rules), moment.due, moment.now);
    ++series.turns_taken;
    return {true, turn ? std::optional(turn->due) : std::nullopt};
}

// The first time after an instant that the calendar includes.

std::optional<TimePoint>
included_after(const WallRule& rule, const SeriesRules& rules, const Series&, TimePoint after) {
    return time_after(rule.timer, after, rules.calendar_or_null());
}

std::optional<TimePoint> included_after(
    const SimpleRule& rule,
    const SeriesRules& rules,
    const Series& series,
    TimePoint after
) {
    return included_time_after(timer_of(rule, series, after), after, rules.calendar_or_null());
}

std::optional<TimePoint> included_after(
    const GridRule& rule,
    const SeriesRules& rules,
    const Series& series,
    TimePoint after
) {
    RepeatCycle cycle = cycle_left(rule.cycle, series);
    cycle.turns.reset();  // No turn is taken.
    const auto turn = turn_after(cycle, context_of(rules), after, after);
    return turn ? std::optional(turn->due) : std::nullopt;
}

TurnPlan plan_of(bool fires, std::optional<TimePoint> next, Series series) {
    series.next_fire = next;
    series.state = next ? schema::SeriesState::waiting : schema::SeriesState::ended;
    return {.fires = fires, .next_due = next, .series = std::move(series)};
}

}  // namespace

ParseResult<TurnPlan> SeriesPlanner::begin(
    const Series& series,
    const CalendarTexts& calendars,
    std::optional<TimePoint> due,
    TimePoint now
) const {
    const auto read = read_rules(series, calendars);
    if (!read) {
        return read.error();
    }
    const SeriesRules& rules = read.value();
    Series begun_series = begun(series, rules);
    // A turn whose date was chosen begins the grid, unless the text says where that begins.
    if (due && !begun_series.start && !std::holds_alternative<WallRule>(rules.kind)) {
        begun_series.start = due;
    }
    std::optional<TimePoint> first = std::visit(
        [&](const auto& rule) { return first_due(rule, rules, begun_series, now); }, rules.kind
    );
    if (due) {
        first = due;
    }
    if (!first) {
        return ParseError{"no turn would ever be due", 0};
    }
    return plan_of(false, first, std::move(begun_series));
}

ParseResult<TurnPlan> SeriesPlanner::plan(
    const Series& series,
    const CalendarTexts& calendars,
    TimePoint due,
    TimePoint now
) const {
    const auto read = read_rules(series, calendars);
    if (!read) {
        return read.error();
    }
    const SeriesRules& rules = read.value();
    const Duration threshold = series.misfire_threshold.value_or(misfire_threshold_);
    const Moment moment{due, std::max(due, now), is_misfired(due, now, threshold)};
    Series planned = series;
    const Taken taken = std::visit(
        [&](const auto& rule) { return take(rule, rules, planned, moment); }, rules.kind
    );
    if (taken.fires) {
        planned.previous_fire = due;
        ++planned.fire_count;
    }
    return plan_of(taken.fires, taken.next, std::move(planned));
}

ParseResult<std::optional<TimePoint>> SeriesPlanner::due_by_calendar(
    const Series& series,
    const CalendarTexts& calendars,
    TimePoint due,
    TimePoint now
) const {
    const auto read = read_rules(series, calendars);
    if (!read) {
        return read.error();
    }
    if (due <= now) {
        return std::optional(due);
    }
    const SeriesRules& rules = read.value();
    const TimePoint after = std::max(now, series.previous_fire.value_or(now));
    return std::visit(
        [&](const auto& rule) { return included_after(rule, rules, series, after); }, rules.kind
    );
}

std::string SeriesPlanner::repeat_of(const Series& series) const {
    const std::optional<RepeatCycle> cycle = cycle_in(series);
    return cycle ? to_text(cycle_left(*cycle, series)) : series.repeat;
}

std::optional<ParseError>
SeriesPlanner::problem_of_calendar(const std::string& name, const CalendarTexts& calendars) const {
    const auto calendar = find_calendar(name, calendars);
    return calendar ? std::nullopt : std::optional(calendar.error());
}

bool SeriesPlanner::hangs_on(
    std::string_view calendar,
    std::string_view base,
    const CalendarTexts& calendars
) const {
    return timers::hangs_on(calendar, base, calendars);
}

}  // namespace jobstrand::timers
