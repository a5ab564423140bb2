#include "schema/series_transition.hpp"
#include "test/fixtures/job_builder.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace jobstrand::schema {
namespace {

using namespace std::chrono_literals;
using test::a_job;
using State = SeriesState;

constexpr TimePoint kStart = std::chrono::sys_days{std::chrono::year{2026} / 11 / 20} + 10h;
constexpr TimePoint kFirstDue = kStart + 1h;
constexpr TimePoint kSecondDue = kStart + 2h;

Series a_series_in(State state) {
    Series series{.key = "s", .repeat = "R/PT1H"};
    series.state = state;
    series.turn_id = "turn-1";
    series.next_fire = kFirstDue;
    return series;
}

// The table of the header, row by row.
TEST(SeriesChange, Each_row_of_the_table_holds) {
    const Series waiting = a_series_in(State::waiting);
    const Series running = a_series_in(State::running);
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
        {"other times",
         given_times(waiting, begun),
         TurnOutcome::waits,
         State::waiting,
         kSecondDue},
        {"other times, runs",
         given_times(running, begun),
         TurnOutcome::stays,
         State::running,
         kSecondDue},
        {"calendar",
         calendar_changed(waiting, kSecondDue),
         TurnOutcome::waits,
         State::waiting,
         kSecondDue},
        {"calendar, runs",
         calendar_changed(running, kSecondDue),
         TurnOutcome::stays,
         State::running,
         kSecondDue},
        {"no date left", calendar_changed(waiting, {}), TurnOutcome::over, State::ended, {}},
        {"no date left, runs", calendar_changed(running, {}), TurnOutcome::stays, State::ended, {}},
        {"ended", series_ended(waiting), TurnOutcome::over, State::ended, {}},
        {"ended, runs", series_ended(running), TurnOutcome::stays, State::ended, {}},
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
    Series series = a_series_in(State::waiting);
    series.retries = 5;
    const Job turn = first_turn_of(series, a_job("first"));
    EXPECT_EQ(turn.type, kTimerType);
    EXPECT_EQ(turn.series, "s");
    EXPECT_EQ(turn.due_date, kFirstDue);
    EXPECT_EQ(turn.retries, 5);
    EXPECT_EQ(
        first_turn_of(series, a_job("x").of_kind(kExternalWorkerType)).type, kExternalWorkerType
    );
}

TEST(SeriesChange, Other_times_leave_group_options_and_counts) {
    Series series = a_series_in(State::waiting);
    series.group = "g";
    series.fire_count = 4;
    const Series changed = with_times_of(series, {.key = "s", .repeat = "R/PT5M", .zone = "CET"});
    EXPECT_EQ(changed.repeat, "R/PT5M");
    EXPECT_EQ(changed.zone, "CET");
    EXPECT_EQ(changed.group, "g");
    EXPECT_EQ(changed.fire_count, 4);
}

TEST(SeriesChange, An_extra_job_is_like_the_turn_and_can_run_now) {
    Job turn = a_job("turn-1").of_type("mail").due_at(kFirstDue).with_retries(1).after_attempts(2);
    turn.repeat = "R/PT1H";
    turn.series = "s";
    turn.suspended_from = "timer";
    const Job extra = extra_job(turn, a_series_in(State::waiting), "extra", kStart);
    EXPECT_EQ(extra.id, "extra");
    EXPECT_EQ(extra.correlation_id, "extra");
    EXPECT_EQ(extra.repeat, "");
    EXPECT_EQ(extra.due_date, std::nullopt);
    EXPECT_EQ(extra.handler_type, "mail");
    EXPECT_EQ(extra.series, "s");
    EXPECT_EQ(extra.retries, kDefaultRetries);
    EXPECT_EQ(extra.attempts, 0);
    EXPECT_EQ(extra.suspended_from, "");
    EXPECT_EQ(extra.create_time, kStart);
}

}  // namespace
}  // namespace jobstrand::schema
