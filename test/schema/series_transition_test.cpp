#include "schema/series_transition.hpp"

#include "test/fixtures/job_builder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::schema {

namespace {

using test::a_job;
using namespace std::chrono_literals;
using Reason = TransitionReason;
using State = SeriesState;

constexpr TimePoint kFiredAt = std::chrono::sys_days{std::chrono::year{2026} / 11 / 20} + 10h;
constexpr TimePoint kTurnDue = kFiredAt - 1min;
constexpr TimePoint kNext = kFiredAt + 10min;

Job turn_of(const Series& series, std::string_view repeat = "R/PT10M") {
    Job turn =
        a_job("turn-1").of_kind(kTimerType).due_at(kTurnDue).with_retries(1).after_attempts(2);
    turn.series = series.key;
    turn.repeat = repeat;
    turn.lock_owner = "node-1";
    turn.exception_message = "no";
    turn.payload = "{\"n\": 1}";
    return turn;
}

Series series_in(State state) {
    Series series{.key = "s", .repeat = "R/PT10M"};
    series.state = state;
    series.turn_id = "turn-1";
    series.next_fire = state == State::running ? kNext : kTurnDue;
    series.overlap = state != State::running;
    return series;
}

/// As timers/ plans: `next` is the due date of the next turn.
ParseResult<TurnPlan> planned(Series series, std::optional<TimePoint> next, bool fires = true) {
    series.next_fire = next;
    series.state = next ? State::waiting : State::ended;
    return TurnPlan{.fires = fires, .next_due = next, .series = std::move(series)};
}

Transition because(Reason reason, std::optional<std::string> payload = {}) {
    return {.reason = reason, .payload = std::move(payload)};
}

SeriesTransition transition_of(
    const Series& series,
    const Job& turn,
    const Transition& transition,
    std::optional<TimePoint> next = kNext,
    bool fires = true
) {
    return series_transition(&series, turn, transition, planned(series, next, fires), kFiredAt);
}

/// A row of the table in the header.
struct TableRow {
    Reason reason;
    Series before;
    std::optional<TimePoint> next;
    bool fires;
    TurnOutcome turn;
    bool still_carries;
    State after;
    bool inserts;
};

void expect(const std::vector<TableRow>& rows) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
        SCOPED_TRACE(i);
        const TableRow& row = rows[i];
        const SeriesTransition result = transition_of(
            row.before, turn_of(row.before), because(row.reason), row.next, row.fires
        );
        EXPECT_EQ(result.turn, row.turn);
        EXPECT_EQ(result.still_carries, row.still_carries);
        EXPECT_EQ(result.next_turn.has_value(), row.inserts);
        ASSERT_TRUE(result.series);
        EXPECT_EQ(result.series->state, row.after);
        EXPECT_FALSE(result.pauses);
        EXPECT_TRUE(result.notes.empty());
    }
}

constexpr auto kNone = std::nullopt;

TEST(SeriesTransition, Each_row_of_the_table_about_a_waiting_turn_holds) {
    using enum TurnOutcome;
    const Series many = series_in(State::waiting);
    Series one = many;
    one.overlap = false;
    expect({
        {Reason::fell_due, many, kNext, true, moves, false, State::waiting, true},
        {Reason::fired, many, kNext, true, moves, false, State::waiting, true},
        {Reason::fell_due, one, kNext, true, moves, true, State::running, false},
        {Reason::fired, one, kNext, true, moves, true, State::running, false},
        {Reason::fell_due, many, kNone, true, moves, false, State::ended, false},
        {Reason::fell_due, one, kNone, true, moves, false, State::ended, false},
        {Reason::fell_due, many, kNext, false, waits, true, State::waiting, false},
        {Reason::fell_due, many, kNone, false, over, false, State::ended, false},
        {Reason::removed, many, kNext, true, moves, false, State::ended, false},
    });
}

TEST(SeriesTransition, Each_row_of_the_table_about_a_running_turn_holds) {
    using enum TurnOutcome;
    const Series one = series_in(State::running);
    Series last = one;
    last.next_fire.reset();
    expect({
        {Reason::completed, one, kNext, true, moves, false, State::waiting, true},
        {Reason::retries_exhausted, one, kNext, true, moves, false, State::waiting, true},
        {Reason::not_retryable, one, kNext, true, moves, false, State::waiting, true},
        {Reason::crash_loop, one, kNext, true, moves, false, State::waiting, true},
        {Reason::completed, last, kNext, true, moves, false, State::ended, false},
        {Reason::retries_exhausted, last, kNext, true, moves, false, State::ended, false},
        {Reason::removed, one, kNext, true, moves, false, State::ended, false},
    });
}

TEST(
    SeriesTransition,
    A_running_turn_whose_wait_before_a_retry_is_over_still_carries_the_series_on
) {
    const Series series = series_in(State::running);
    const SeriesTransition result =
        transition_of(series, turn_of(series), because(Reason::fell_due));
    EXPECT_EQ(result.turn, TurnOutcome::moves);
    EXPECT_TRUE(result.still_carries);
    EXPECT_FALSE(result.series);
    EXPECT_FALSE(result.next_turn);
}

TEST(SeriesTransition, The_next_turn_is_like_this_one_and_has_not_run_yet) {
    Series series = series_in(State::waiting);
    series.retries = 5;
    Job turn = turn_of(series);
    turn.type = kMessageType;
    SeriesTransition result = transition_of(series, turn, because(Reason::fell_due));
    give_id(result, "turn-2");
    const Job& next = result.next_turn.value();
    EXPECT_EQ(next.id, "turn-2");
    EXPECT_EQ(next.correlation_id, "turn-2");
    EXPECT_EQ(result.series->turn_id, "turn-2");
    EXPECT_EQ(next.type, kTimerType);
    EXPECT_EQ(next.series, "s");
    EXPECT_EQ(next.due_date, kNext);
    EXPECT_EQ(next.create_time, kFiredAt);
    EXPECT_EQ(next.retries, 5);
    EXPECT_EQ(next.attempts, 0);
    EXPECT_EQ(next.revision, 1);
    EXPECT_EQ(next.lock_owner, "");
    EXPECT_EQ(next.exception_message, "");
    EXPECT_EQ(next.payload, turn.payload);
}

// R126
TEST(SeriesTransition, A_payload_goes_to_the_next_turn_if_the_series_keeps_its_data) {
    Series series = series_in(State::running);
    const Transition done = because(Reason::completed, "{\"n\": 2}");
    EXPECT_EQ(transition_of(series, turn_of(series), done).next_turn->payload, "{\"n\": 1}");
    series.keep_data = true;
    EXPECT_EQ(transition_of(series, turn_of(series), done).next_turn->payload, "{\"n\": 2}");
    EXPECT_EQ(
        transition_of(series, turn_of(series), because(Reason::completed)).next_turn->payload,
        "{\"n\": 1}"
    );
}

TEST(SeriesTransition, A_turn_that_nobody_had_taken_is_taken_when_it_ends) {
    const Series series = series_in(State::waiting);
    const Job turn = turn_of(series);
    EXPECT_EQ(
        question_for(series, turn, Reason::completed, kFiredAt),
        (PlanQuestion{.due = kTurnDue, .now = kTurnDue})
    );
    const SeriesTransition result = transition_of(series, turn, because(Reason::completed));
    EXPECT_EQ(result.series->state, State::waiting);
    EXPECT_EQ(result.next_turn->due_date, kNext);
}

TEST(SeriesTransition, A_dead_letter_pauses_a_series_that_wants_it) {
    Series series = series_in(State::running);
    series.stop_on_dead_letter = true;
    const SeriesTransition result =
        transition_of(series, turn_of(series), because(Reason::retries_exhausted));
    EXPECT_TRUE(result.pauses);
    EXPECT_TRUE(result.next_turn);
    ASSERT_EQ(result.notes.size(), 1U);
    EXPECT_EQ(result.notes[0].message, "series paused: a turn became a dead letter");
    EXPECT_FALSE(transition_of(series, turn_of(series), because(Reason::completed)).pauses);
}

TEST(SeriesTransition, A_turn_that_has_fired_pauses_it_too_but_does_not_carry_it_on) {
    Series series = series_in(State::waiting);
    series.stop_on_dead_letter = true;
    const Job fired = turn_of(series, "");
    const SeriesTransition result = transition_of(series, fired, because(Reason::not_retryable));
    EXPECT_TRUE(result.pauses);
    EXPECT_FALSE(result.series);
    EXPECT_FALSE(result.next_turn);
}

TEST(SeriesTransition, A_series_that_has_ended_is_not_paused) {
    Series series = series_in(State::running);
    series.stop_on_dead_letter = true;
    series.next_fire.reset();
    EXPECT_FALSE(transition_of(series, turn_of(series), because(Reason::retries_exhausted)).pauses);
}

TEST(SeriesTransition, A_turn_whose_node_died_is_let_go_only_without_recovery) {
    Series series = series_in(State::running);
    const SeriesTransition kept = transition_of(series, turn_of(series), because(Reason::let_go));
    EXPECT_EQ(kept.turn, TurnOutcome::stays);
    EXPECT_TRUE(kept.still_carries);
    EXPECT_FALSE(kept.series);

    series.recovery = false;
    const SeriesTransition gone = transition_of(series, turn_of(series), because(Reason::let_go));
    EXPECT_EQ(gone.turn, TurnOutcome::moves);
    EXPECT_TRUE(gone.next_turn);
    ASSERT_EQ(gone.notes.size(), 1U);
    EXPECT_TRUE(gone.notes[0].is_about_turn);
}

TEST(SeriesTransition, A_series_that_cannot_be_planned_ends_with_its_turn_and_says_so) {
    const Series series = series_in(State::waiting);
    const Job turn = turn_of(series);
    const ParseResult<TurnPlan> unreadable = ParseError{"no such zone", 0};
    for (const Reason reason : {Reason::fell_due, Reason::completed}) {
        const SeriesTransition result =
            series_transition(&series, turn, because(reason), unreadable, kFiredAt);
        EXPECT_EQ(result.turn, TurnOutcome::moves);
        EXPECT_FALSE(result.still_carries);
        EXPECT_FALSE(result.next_turn);
        EXPECT_EQ(result.series->state, State::ended);
        EXPECT_EQ(result.series->previous_fire, kTurnDue);
        EXPECT_EQ(result.series->fire_count, 1);
        ASSERT_EQ(result.notes.size(), 1U);
        EXPECT_EQ(result.notes[0], unplanned(unreadable.error()));
    }
}

TEST(SeriesTransition, A_copy_of_a_turn_carries_nothing_on_and_changes_nothing) {
    const Series series = series_in(State::waiting);
    Job copy = turn_of(series);
    copy.id = "copy";
    for (const Reason reason :
         {Reason::fell_due,
          Reason::fired,
          Reason::completed,
          Reason::retries_exhausted,
          Reason::removed}) {
        const SeriesTransition result = transition_of(series, copy, because(reason));
        EXPECT_EQ(result.turn, TurnOutcome::moves);
        EXPECT_FALSE(result.still_carries);
        EXPECT_FALSE(result.series);
        EXPECT_FALSE(result.next_turn);
    }
}

TEST(SeriesTransition, A_turn_of_a_series_that_has_ended_runs_once_more_without_it) {
    const Series series = series_in(State::ended);
    const SeriesTransition result =
        transition_of(series, turn_of(series), because(Reason::fell_due));
    EXPECT_EQ(result.turn, TurnOutcome::moves);
    EXPECT_FALSE(result.still_carries);
    EXPECT_FALSE(result.series);
}

TEST(SeriesTransition, A_turn_without_a_readable_series_runs_once_more) {
    const Job turn = turn_of({.key = "s"});
    const SeriesTransition result =
        series_transition(nullptr, turn, because(Reason::fell_due), {}, kFiredAt);
    EXPECT_EQ(result.turn, TurnOutcome::moves);
    EXPECT_FALSE(result.still_carries);
    EXPECT_EQ(
        series_transition(nullptr, turn, because(Reason::let_go), {}, kFiredAt).turn,
        TurnOutcome::stays
    );
}

TEST(SeriesTransition, The_schedule_is_asked_about_the_waiting_turn_only) {
    struct Row {
        Reason reason;
        State state;
        std::optional<PlanQuestion> question;
    };
    const PlanQuestion late{.due = kTurnDue, .now = kFiredAt};
    const PlanQuestion at_its_date{.due = kTurnDue, .now = kTurnDue};
    const std::vector<Row> rows{
        {Reason::fell_due, State::waiting, late},
        {Reason::fired, State::waiting, at_its_date},
        {Reason::completed, State::waiting, at_its_date},
        {Reason::not_retryable, State::waiting, at_its_date},
        {Reason::crash_loop, State::waiting, at_its_date},
        {Reason::removed, State::waiting, std::nullopt},
        {Reason::let_go, State::waiting, std::nullopt},
        {Reason::fell_due, State::running, std::nullopt},
        {Reason::completed, State::running, std::nullopt},
        {Reason::fell_due, State::ended, std::nullopt},
    };
    for (const Row& row : rows) {
        const Series series = series_in(row.state);
        EXPECT_EQ(question_for(series, turn_of(series), row.reason, kFiredAt), row.question)
            << name_of(row.reason) << ' ' << name_of(row.state);
    }
}

TEST(SeriesTransition, Only_moves_that_mean_something_for_a_series_are_brought_here) {
    const Series series = series_in(State::waiting);
    const Job that_carries = turn_of(series);
    const Job has_fired = turn_of(series, "");
    const Job ordinary = a_job("a");
    for (const Reason reason :
         {Reason::fell_due, Reason::fired, Reason::completed, Reason::removed}) {
        EXPECT_TRUE(concerns_series(that_carries, reason)) << name_of(reason);
        EXPECT_FALSE(concerns_series(has_fired, reason)) << name_of(reason);
    }
    for (const Reason reason :
         {Reason::retries_exhausted, Reason::not_retryable, Reason::crash_loop}) {
        EXPECT_TRUE(concerns_series(that_carries, reason)) << name_of(reason);
        EXPECT_TRUE(concerns_series(has_fired, reason)) << name_of(reason);
        EXPECT_FALSE(concerns_series(ordinary, reason)) << name_of(reason);
    }
    for (const Reason reason :
         {Reason::retry,
          Reason::released,
          Reason::not_served,
          Reason::interrupted,
          Reason::postponed,
          Reason::suspended,
          Reason::activated,
          Reason::requeued,
          Reason::id_taken,
          Reason::unreadable}) {
        EXPECT_FALSE(concerns_series(that_carries, reason)) << name_of(reason);
        const SeriesTransition result = transition_of(series, that_carries, because(reason));
        EXPECT_TRUE(result.still_carries) << name_of(reason);
        EXPECT_FALSE(result.series) << name_of(reason);
    }
}

TEST(SeriesTransition, A_series_is_not_made_for_a_turn_that_is_removed_or_let_go) {
    const Job turn = turn_of({.key = ""});
    EXPECT_TRUE(is_adopted_by(turn, Reason::fell_due));
    EXPECT_TRUE(is_adopted_by(turn, Reason::completed));
    EXPECT_FALSE(is_adopted_by(turn, Reason::removed));
    EXPECT_FALSE(is_adopted_by(turn, Reason::let_go));
    EXPECT_FALSE(is_adopted_by(turn_of({.key = "s"}, ""), Reason::not_retryable));
}

TEST(SeriesTransition, A_row_that_only_has_the_name_of_a_series_is_none_of_its_turns) {
    struct Case {
        std::string_view what;
        std::string id;
        std::string series;
        Series other;
        bool is_namesake;
    };
    const Series waiting{.key = "s", .state = SeriesState::waiting, .turn_id = "s-7"};
    const Series ended{.key = "s", .state = SeriesState::ended, .turn_id = "s"};
    const Series own{.key = "s", .state = SeriesState::waiting, .turn_id = "s"};
    for (const Case& one :
         {Case{"inserted while another turn waits", "s", "", waiting, true},
          Case{"inserted after the end", "s", "", ended, true},
          Case{"its first turn, moved by another engine", "s", "", own, false},
          Case{"a turn that says so", "s-6", "s", waiting, false},
          Case{"a turn that says so after the end", "s-6", "s", ended, false}}) {
        Job turn = a_job(one.id);
        turn.repeat = "R/PT1H";
        turn.series = one.series;
        EXPECT_EQ(is_only_a_namesake(turn, one.other), one.is_namesake) << one.what;
    }
}

TEST(SeriesTransition, A_series_begins_with_the_turn_that_carries_it_on) {
    const Series begun = begun_by(a_job("first"), {.key = "s"}, kFiredAt);
    EXPECT_EQ(begun.turn_id, "first");
    EXPECT_EQ(begun.create_time, kFiredAt);
}

TEST(SeriesTransition, A_series_follows_the_due_date_of_its_waiting_turn) {
    const Series series = series_in(State::waiting);
    Job turn = turn_of(series);
    turn.due_date = kNext;
    EXPECT_EQ(with_changed_turn(series, turn)->next_fire, kNext);
    EXPECT_EQ(with_changed_turn(series_in(State::running), turn), std::nullopt);
    turn.id = "copy";
    EXPECT_EQ(with_changed_turn(series, turn), std::nullopt);
}

TEST(SeriesTransition, A_series_keeps_what_only_our_columns_hold_of_the_turn_that_carries_it_on) {
    for (const State state : {State::waiting, State::running}) {
        const Series series = series_in(state);
        Job turn = turn_of(series);
        turn.due_date = series.next_fire;
        turn.priority = std::numeric_limits<std::int64_t>::min();
        turn.retry_cycle = "R2/PT1M";
        turn.root_process_instance_id = "order-17";
        const Series kept = with_changed_turn(series, turn).value();
        EXPECT_EQ(kept.next_fire, series.next_fire);
        EXPECT_EQ(with_changed_turn(kept, turn), std::nullopt);
        Job moved = turn_of(series);
        moved.due_date = series.next_fire;
        moved.series.clear();
        give_back_to_turn(kept, moved);
        EXPECT_EQ(moved, turn);
    }
}

constexpr TimePoint kSecondDue = kFiredAt + 2h;

// The table of the header, row by row.
TEST(SeriesChange, Each_row_of_the_table_holds) {
    using enum TurnOutcome;
    const Series waiting = series_in(State::waiting);
    const Series running = series_in(State::running);
    Series begun = waiting;
    begun.next_fire = kSecondDue;
    struct Row {
        const char* name;
        SeriesTransition result;
        TurnOutcome turn;
        State after;
        std::optional<TimePoint> next_fire;
    };
    const std::vector<Row> rows{
        {"other times", given_times(waiting, begun), waits, State::waiting, kSecondDue},
        {"other times, runs", given_times(running, begun), stays, State::running, kSecondDue},
        {"calendar", calendar_changed(waiting, kSecondDue), waits, State::waiting, kSecondDue},
        {"calendar, runs",
         calendar_changed(running, kSecondDue),
         stays,
         State::running,
         kSecondDue},
        {"no date left", calendar_changed(waiting, {}), over, State::ended, {}},
        {"no date left, runs", calendar_changed(running, {}), stays, State::ended, {}},
        {"ended", series_ended(waiting), over, State::ended, {}},
        {"ended, runs", series_ended(running), stays, State::ended, {}},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.name);
        EXPECT_EQ(row.result.turn, row.turn);
        EXPECT_EQ(row.result.series->state, row.after);
        EXPECT_EQ(row.result.series->next_fire, row.next_fire);
        EXPECT_EQ(row.result.series->turn_id, row.after == State::ended ? "" : "turn-1");
    }
}

TEST(SeriesChange, What_a_series_leaves_open_comes_from_its_first_turn) {
    Job turn = a_job("first").of_type("mail").with_retries(7);
    turn.repeat = "R3/PT1H";
    const Series open = completed_by({.fire_count = 9}, turn);
    EXPECT_EQ(open.key, "first");
    EXPECT_EQ(open.repeat, "R3/PT1H");
    EXPECT_EQ(open.handler_type, "mail");
    EXPECT_EQ(open.retries, 7);
    EXPECT_EQ(open.fire_count, 0);

    const Series given =
        completed_by({.key = "k", .repeat = "R/PT2H", .keep_data = true, .retries = 5}, turn);
    EXPECT_EQ(given.key, "k");
    EXPECT_EQ(given.repeat, "R/PT2H");
    EXPECT_EQ(given.retries, 5);
    EXPECT_FALSE(given.overlap) << "what hands data on waits for it";
}

TEST(SeriesChange, The_first_turn_is_a_timer_of_its_series) {
    Series series = series_in(State::waiting);
    series.retries = 5;
    const Job turn = first_turn_of(series, a_job("first"));
    EXPECT_EQ(turn.type, kTimerType);
    EXPECT_EQ(turn.series, "s");
    EXPECT_EQ(turn.due_date, kTurnDue);
    EXPECT_EQ(turn.retries, 5);
    EXPECT_EQ(
        first_turn_of(series, a_job("x").of_kind(kExternalWorkerType)).type, kExternalWorkerType
    );
}

TEST(SeriesChange, Other_times_leave_group_options_and_counts) {
    Series series = series_in(State::waiting);
    series.group = "g";
    series.fire_count = 4;
    const Series changed = with_times_of(series, {.key = "s", .repeat = "R/PT5M", .zone = "CET"});
    EXPECT_EQ(changed.repeat, "R/PT5M");
    EXPECT_EQ(changed.zone, "CET");
    EXPECT_EQ(changed.group, "g");
    EXPECT_EQ(changed.fire_count, 4);
}

TEST(SeriesChange, An_extra_job_is_like_the_turn_and_can_run_now) {
    Job turn = a_job("turn-1").of_type("mail").due_at(kTurnDue).with_retries(1).after_attempts(2);
    turn.repeat = "R/PT1H";
    turn.series = "s";
    turn.suspended_from = "timer";
    const Job extra = extra_job(turn, series_in(State::waiting), "extra", kFiredAt);
    EXPECT_EQ(extra.id, "extra");
    EXPECT_EQ(extra.correlation_id, "extra");
    EXPECT_EQ(extra.repeat, "");
    EXPECT_EQ(extra.due_date, std::nullopt);
    EXPECT_EQ(extra.handler_type, "mail");
    EXPECT_EQ(extra.series, "s");
    EXPECT_EQ(extra.retries, kDefaultRetries);
    EXPECT_EQ(extra.attempts, 0);
    EXPECT_EQ(extra.suspended_from, "");
    EXPECT_EQ(extra.create_time, kFiredAt);
}

/// A series without overlap whose turn runs, and whose row cannot be read: the schedule's answer is
/// an error, although nothing is asked.
class UnreadableSeries : public testing::Test {
protected:
    UnreadableSeries() {
        series_.stop_on_dead_letter = true;
        turn_.series = series_.key;
        turn_.repeat = series_.repeat;
    }

    [[nodiscard]] SeriesTransition transition_because(Reason reason) const {
        return series_transition(&series_, turn_, {.reason = reason}, unreadable_, TimePoint{});
    }

    Series series_{
        .key = "s",
        .repeat = "R/PT10M",
        .overlap = false,
        .next_fire = TimePoint{},
        .state = SeriesState::running,
        .turn_id = "turn-1",
    };
    Job turn_ = a_job("turn-1");
    const ParseResult<TurnPlan> unreadable_ = ParseError{"RETRIES_ \"many\" is not an integer", 0};
};

TEST_F(UnreadableSeries, Ends_with_the_turn_that_runs_and_says_so) {
    for (const Reason reason : {Reason::completed, Reason::retries_exhausted}) {
        const SeriesTransition result = transition_because(reason);
        EXPECT_EQ(result.turn, TurnOutcome::moves);
        EXPECT_FALSE(result.still_carries);
        EXPECT_FALSE(result.next_turn);
        EXPECT_FALSE(result.pauses);
        ASSERT_TRUE(result.series);
        EXPECT_EQ(result.series->state, SeriesState::ended);
        EXPECT_EQ(result.series->next_fire, std::nullopt);
        EXPECT_EQ(result.notes, std::vector{unplanned(unreadable_.error())});
    }
}

TEST_F(UnreadableSeries, Leaves_the_turn_its_retries) {
    const SeriesTransition result = transition_because(Reason::fell_due);
    EXPECT_EQ(result.turn, TurnOutcome::moves);
    EXPECT_TRUE(result.still_carries);
    EXPECT_FALSE(result.series);
}

}  // namespace

}  // namespace jobstrand::schema
