#include "schema/series_transition.hpp"

#include <utility>

namespace jobstrand::schema {
namespace {

/// A copy of a turn, made by whatever hand, must not run the series twice.
bool carries_on(const Series& series, const Job& turn) {
    return series.state != SeriesState::ended && series.turn_id == turn.id;
}

/// A turn like this one that has not run yet.
Job turn_after(Job turn, const Series& series, TimePoint now) {
    turn.id.clear();
    turn.correlation_id.clear();
    turn.trace_parent.clear();  // Whoever began the series did not cause this turn.
    turn.revision = 1;
    turn.lock_owner.clear();
    turn.lock_expiration.reset();
    turn.retries = series.retries;
    turn.attempts = 0;
    turn.exception_message.clear();
    turn.exception_stack_id.clear();
    turn.suspended_from.clear();
    turn.unique_key.clear();  // Of the first turn, if SQL has given it one.
    turn.due_date = series.next_fire;
    turn.create_time = now;
    turn.series = series.key;
    if (turn.type == kMessageType) {
        turn.type = kTimerType;
    }
    return turn;
}

/// A series that cannot be planned any more ends with this turn.
TurnPlan last_turn(Series series, TimePoint due) {
    series.state = SeriesState::ended;
    series.next_fire.reset();
    series.previous_fire = due;
    ++series.fire_count;
    return {.fires = true, .next_due = std::nullopt, .series = std::move(series)};
}

using PlanAnswer = std::optional<ParseResult<TurnPlan>>;

TurnPlan plan_or_last(
    const Series& series,
    const Job& turn,
    const PlanAnswer& plan,
    TimePoint now,
    std::vector<SeriesNote>& notes
) {
    if (plan && *plan) {
        return plan->value();
    }
    notes.push_back(unplanned(plan ? plan->error() : ParseError{"it was not planned", 0}));
    return last_turn(series, turn.due_date.value_or(now));
}

SeriesTransition
taken(const Series& series, const Job& turn, const PlanAnswer& plan, TimePoint now) {
    SeriesTransition result;
    if (!carries_on(series, turn)) {
        return result;
    }
    if (series.state == SeriesState::running) {
        result.still_carries = true;
        return result;
    }
    TurnPlan planned = plan_or_last(series, turn, plan, now, result.notes);
    const bool is_last = !planned.next_due;
    Series& next = result.series.emplace(std::move(planned.series));
    if (!planned.fires) {
        result.turn = is_last ? TurnOutcome::over : TurnOutcome::waits;
        result.still_carries = !is_last;
    } else if (!is_last && next.overlap) {
        result.next_turn = turn_after(turn, next, now);
    } else if (!is_last) {
        next.state = SeriesState::running;
        result.still_carries = true;
    }
    return result;
}

/// The run of a turn has ended for good. `payload`: what it hands on, if the series wants it.
SeriesTransition ended(
    const Series& series,
    const Job& turn,
    const std::optional<std::string>& payload,
    const PlanAnswer& plan,
    TimePoint now
) {
    SeriesTransition result;
    if (turn.repeat.empty() || !carries_on(series, turn)) {
        return result;
    }
    Series& next = result.series.emplace(series);
    if (series.state == SeriesState::waiting) {
        // Nobody has taken its turn: it was inserted as an executable job, or another engine moved
        // it.
        next = plan_or_last(series, turn, plan, now, result.notes).series;
    } else if (plan && !*plan) {
        result.notes.push_back(unplanned(plan->error()));
        next.next_fire.reset();
    }
    if (!next.next_fire) {
        next.state = SeriesState::ended;
        return result;
    }
    next.state = SeriesState::waiting;
    Job& follower = result.next_turn.emplace(turn_after(turn, next, now));
    if (payload && next.keep_data) {
        follower.payload = *payload;
        follower.custom_values_id.clear();
    }
    return result;
}

SeriesTransition
died(const Series& series, const Job& turn, const PlanAnswer& plan, TimePoint now) {
    SeriesTransition result = ended(series, turn, std::nullopt, plan, now);
    const SeriesState state = result.series ? result.series->state : series.state;
    if (series.stop_on_dead_letter && state != SeriesState::ended) {
        result.pauses = true;
        result.notes.push_back({.message = "series paused: a turn became a dead letter"});
    }
    return result;
}

SeriesTransition
let_go(const Series* series, const Job& turn, const PlanAnswer& plan, TimePoint now) {
    if (series == nullptr || series->recovery) {
        return {.turn = TurnOutcome::stays, .still_carries = true};
    }
    SeriesTransition result = ended(*series, turn, std::nullopt, plan, now);
    result.notes.insert(
        result.notes.begin(),
        {.message = "turn let go: its node died, and its series is not to be recovered",
         .is_about_turn = true}
    );
    return result;
}

SeriesTransition removed(const Series& series, const Job& turn) {
    SeriesTransition result;
    if (series.turn_id == turn.id) {
        Series& next = result.series.emplace(series);
        next.state = SeriesState::ended;
        next.next_fire.reset();
        next.turn_id.clear();
    }
    return result;
}

}  // namespace

bool concerns_series(const Job& job, TransitionReason reason) {
    switch (reason) {
        case TransitionReason::fell_due:
        case TransitionReason::fired:
        case TransitionReason::completed:
        case TransitionReason::handed_on:
        case TransitionReason::removed:
            return !job.repeat.empty();
        case TransitionReason::retries_exhausted:
        case TransitionReason::not_retryable:
        case TransitionReason::crash_loop:
        case TransitionReason::cancelled:
        case TransitionReason::given_up:
            return !job.repeat.empty() || !job.series.empty();
        case TransitionReason::let_go:
            return true;
        case TransitionReason::retry:
        case TransitionReason::released:
        case TransitionReason::not_served:
        case TransitionReason::interrupted:
        case TransitionReason::postponed:
        case TransitionReason::suspended:
        case TransitionReason::activated:
        case TransitionReason::requeued:
        case TransitionReason::id_taken:
        case TransitionReason::unreadable:
            return false;
    }
    return false;
}

bool is_adopted_by(const Job& job, TransitionReason reason) {
    return !job.repeat.empty() && reason != TransitionReason::removed &&
           reason != TransitionReason::let_go;
}

bool is_only_a_namesake(const Job& turn, const Series& series) {
    return turn.series.empty() && !carries_on(series, turn);
}

Series begun_by(const Job& turn, Series begun, TimePoint now) {
    begun.turn_id = turn.id;
    begun.create_time = now;
    keep_of_turn(begun, turn);
    return begun;
}

SeriesNote unplanned(const ParseError& error) {
    return {
        .level = LogLevel::error,
        .message = "series ended: it has no next turn",
        .error = error.message,
    };
}

std::optional<PlanQuestion>
question_for(const Series& series, const Job& turn, TransitionReason reason, TimePoint now) {
    const bool is_waiting_turn =
        carries_on(series, turn) && series.state == SeriesState::waiting && !turn.repeat.empty();
    if (!is_waiting_turn || reason == TransitionReason::removed ||
        (reason == TransitionReason::let_go && series.recovery)) {
        return std::nullopt;
    }
    const TimePoint due = turn.due_date.value_or(now);
    // Only a timer that fell due by itself can have missed its date.
    return PlanQuestion{.due = due, .now = reason == TransitionReason::fell_due ? now : due};
}

SeriesTransition series_transition(
    const Series* series,
    const Job& turn,
    const Transition& transition,
    const std::optional<ParseResult<TurnPlan>>& plan,
    TimePoint now
) {
    if (transition.reason == TransitionReason::let_go) {
        return let_go(series, turn, plan, now);
    }
    if (series == nullptr) {
        return {};
    }
    switch (transition.reason) {
        case TransitionReason::fell_due:
        case TransitionReason::fired:
            return taken(*series, turn, plan, now);
        case TransitionReason::completed:
        case TransitionReason::handed_on:
            return ended(*series, turn, transition.payload, plan, now);
        case TransitionReason::retries_exhausted:
        case TransitionReason::not_retryable:
        case TransitionReason::crash_loop:
        case TransitionReason::cancelled:
        case TransitionReason::given_up:
            return died(*series, turn, plan, now);
        case TransitionReason::removed:
            return removed(*series, turn);
        case TransitionReason::retry:
        case TransitionReason::released:
        case TransitionReason::not_served:
        case TransitionReason::interrupted:
        case TransitionReason::postponed:
        case TransitionReason::suspended:
        case TransitionReason::activated:
        case TransitionReason::requeued:
        case TransitionReason::id_taken:
        case TransitionReason::unreadable:
        case TransitionReason::let_go:
            break;
    }
    return {.still_carries = true};
}

std::optional<Series> with_changed_turn(const Series& series, const Job& turn) {
    if (series.turn_id != turn.id || series.state == SeriesState::ended) {
        return std::nullopt;
    }
    Series changed = series;
    keep_of_turn(changed, turn);
    if (series.state == SeriesState::waiting) {
        changed.next_fire = turn.due_date;
    }
    return changed == series ? std::nullopt : std::optional(std::move(changed));
}

void give_id(SeriesTransition& transition, std::string id) {
    transition.next_turn->id = id;
    transition.next_turn->correlation_id = id;
    transition.series->turn_id = std::move(id);
}

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
