#include "schema/series/series_change.hpp"

#include <utility>

namespace jobstrand::schema {
namespace {

void fill(std::string& field, const std::string& value) {
    if (field.empty()) {
        field = value;
    }
}

TurnOutcome if_waiting(const Series& series, TurnOutcome outcome) {
    return series.state == SeriesState::waiting ? outcome : TurnOutcome::stays;
}

}  // namespace

Series completed_by(Series series, const Job& first_turn) {
    const Series defaults = series_of(first_turn);
    fill(series.key, defaults.key);
    fill(series.repeat, defaults.repeat);
    fill(series.handler_type, defaults.handler_type);
    if (series.retries == kDefaultRetries) {
        series.retries = defaults.retries;
    }
    series.overlap = series.overlap && !series.keep_data;
    series.fire_count = 0;
    series.previous_fire.reset();
    return series;
}

Job first_turn_of(const Series& series, Job turn) {
    turn.series = series.key;
    turn.due_date = series.next_fire;
    turn.retries = series.retries;
    if (turn.type == kMessageType) {
        turn.type = kTimerType;
    }
    return turn;
}

Series with_times_of(Series series, const Series& times) {
    series.repeat = times.repeat;
    series.zone = times.zone;
    series.dst_rule = times.dst_rule;
    series.calendar = times.calendar;
    series.misfire = times.misfire;
    series.misfire_threshold = times.misfire_threshold;
    series.start = times.start;
    series.end = times.end;
    return series;
}

SeriesTransition given_times(const Series& before, Series begun) {
    begun.state = before.state;
    return {
        .turn = if_waiting(before, TurnOutcome::waits),
        .still_carries = true,
        .series = std::move(begun),
    };
}

SeriesTransition calendar_changed(Series series, const std::optional<TimePoint>& next_due) {
    if (!next_due) {
        return series_ended(std::move(series));
    }
    series.next_fire = next_due;
    const TurnOutcome outcome = if_waiting(series, TurnOutcome::waits);
    return {.turn = outcome, .still_carries = true, .series = std::move(series)};
}

SeriesTransition series_ended(Series series) {
    const TurnOutcome outcome = if_waiting(series, TurnOutcome::over);
    series.state = SeriesState::ended;
    series.next_fire.reset();
    series.turn_id.clear();
    return {.turn = outcome, .series = std::move(series)};
}

Job extra_job(Job turn, const Series& series, std::string id, TimePoint now) {
    turn.id = std::move(id);
    turn.correlation_id = turn.id;
    turn.trace_parent.clear();
    turn.revision = 1;
    turn.repeat.clear();
    turn.due_date.reset();
    turn.lock_owner.clear();
    turn.lock_expiration.reset();
    turn.suspended_from.clear();
    turn.exception_message.clear();
    turn.exception_stack_id.clear();
    turn.retries = series.retries;
    turn.attempts = 0;
    turn.create_time = now;
    return turn;
}

}  // namespace jobstrand::schema
