#include "test/conformance/series_fixture.hpp"
#include "test/fixtures/recording_intake.hpp"
#include "timers/timer_mover.hpp"

#include <algorithm>

namespace jobstrand::test {

namespace {

class SeriesTurns : public SeriesTest {
protected:
    /// The job that carries the series on.
    Job only_turn() { return job(series().turn_id); }
};

ON_EVERY_DATABASE(SeriesTurns);

// R110, R111, R139: the job is code and data, the series says when.
TEST_P(SeriesTurns, A_series_begins_with_its_first_turn) {
    const std::string key = start(
        {.key = "nightly",
         .group = "reports",
         .description = "sums up the day",
         .repeat = "0 0 2 * * ?",
         .zone = "Europe/Berlin"},
        a_job("first").with_payload("{}").with_retries(5)
    );
    EXPECT_EQ(key, "nightly");
    const Job turn = only_job_in(JobPlace::timer);
    EXPECT_EQ(turn.id, "first");
    EXPECT_EQ(turn.series, "nightly");
    EXPECT_EQ(turn.repeat, "0 0 2 * * ?");
    EXPECT_EQ(turn.type, schema::kTimerType);
    EXPECT_EQ(turn.due_date, clock_.now() + 1h);

    const Series stored = series("nightly");
    EXPECT_EQ(stored.group, "reports");
    EXPECT_EQ(stored.description, "sums up the day");
    EXPECT_EQ(stored.handler_type, "noop");
    EXPECT_EQ(stored.retries, 5);
    EXPECT_EQ(stored.next_fire, turn.due_date);
    EXPECT_EQ(stored.previous_fire, std::nullopt);
    EXPECT_EQ(stored.turn_id, "first");
    EXPECT_EQ(stored.create_time, clock_.now());
}

// R121, R122: the next turn is there as soon as one fires.
TEST_P(SeriesTurns, A_turn_that_fires_brings_the_next_one_in_the_same_transaction) {
    start(every_ten_minutes(), a_job("").with_payload("{\"n\": 1}").with_retry_cycle("R2/PT5S"));
    const Job fired = fire_after(10min);
    EXPECT_EQ(fired.id, "s-1");
    EXPECT_EQ(fired.repeat, "");
    EXPECT_EQ(fired.series, "s");

    const Job next = only_job_in(JobPlace::timer);
    EXPECT_NE(next.id, "s-1");
    EXPECT_EQ(next.correlation_id, next.id);
    EXPECT_EQ(next.due_date, clock_.now() + 10min);
    EXPECT_EQ(next.repeat, "R/2026-01-01T00:00:00Z/PT10M");
    EXPECT_EQ(next.payload, "{\"n\": 1}");
    EXPECT_EQ(next.retry_cycle, "R2/PT5S");
    EXPECT_EQ(next.handler_type, "noop");
    EXPECT_EQ(next.revision, 1);
    EXPECT_EQ(carrying_jobs(), 1);

    const Series after = series();
    EXPECT_EQ(after.turn_id, next.id);
    EXPECT_EQ(after.fire_count, 1);
    EXPECT_EQ(after.previous_fire, fired.due_date);
    EXPECT_EQ(after.next_fire, next.due_date);
}

TEST_P(SeriesTurns, A_limited_series_ends_with_its_last_turn) {
    start({.key = "s", .repeat = "R2/PT10M"});
    complete(fire_after(10min));
    EXPECT_EQ(only_job_in(JobPlace::timer).repeat, "R1/2026-01-01T00:00:00Z/PT10M");
    complete(fire_after(10min));
    EXPECT_EQ(count_rows("ACT_RU_TIMER_JOB"), 0);
    EXPECT_EQ(condition(), SeriesCondition::ended);
    EXPECT_EQ(series().fire_count, 2);
    EXPECT_EQ(series().next_fire, std::nullopt);
}

// R118
TEST_P(SeriesTurns, A_turn_that_fires_ahead_of_its_time_is_not_taken_again) {
    start(every_ten_minutes());
    insert(JobPlace::timer, a_job("later").due_at(clock_.now() + 10min + 1ms));
    clock_.tick(10min - 2s);
    const persistence::DueWindow window(clock_.now(), 2s);
    EXPECT_EQ(store_.timers().move_due_timers(window, 100, std::nullopt, {}).moved, 1U);
    EXPECT_THAT(places_of({"s-1", "later"}), ElementsAre("executable", "timer"));
    EXPECT_EQ(only_turn().due_date, clock_.now() + 10min + 2s);
}

TEST_P(SeriesTurns, Turns_may_overlap) {
    start(every_ten_minutes());
    const Job first = fire_after(10min);
    const Job second = fire_after(10min);
    complete(second);
    complete(first);
    EXPECT_EQ(carrying_jobs(), 1);
}

TEST_P(SeriesTurns, Neither_failure_nor_death_of_a_turn_stops_or_doubles_its_series) {
    start(every_ten_minutes(), a_job("").with_retries(2));
    fail(fire_after(10min));
    EXPECT_EQ(count_rows("ACT_RU_TIMER_JOB"), 2);  // The retry, and the next turn.
    const Job again = fire_after(1min);
    EXPECT_EQ(again.id, "s-1");
    kill_job(again);
    EXPECT_EQ(only_job_in(JobPlace::dead_letter).repeat, "");
    const Job next = only_job_in(JobPlace::timer);
    EXPECT_EQ(next.retries, 2);
    EXPECT_EQ(next.attempts, 0);
    EXPECT_EQ(next.exception_message, "");

    ASSERT_THAT(requeue({"s-1"}, 1), ElementsAre(JobAnswer::done));
    complete(acquire().at(0));
    EXPECT_EQ(only_job_in(JobPlace::timer), next);
    EXPECT_EQ(carrying_jobs(), 1);
}

TEST_P(SeriesTurns, A_page_carries_many_series_on_at_once) {
    constexpr std::size_t count = 90;
    std::vector<persistence::NewSeries> all;
    for (Job& job : many_jobs("t", count)) {
        all.push_back({.series = {.repeat = "R/PT10M"}, .first_turn = std::move(job)});
    }
    (void)store_.enqueuer().create(std::move(all), clock_.now());
    clock_.tick(10min);
    EXPECT_EQ(fire().size(), count);
    EXPECT_EQ(count_rows("ACT_RU_TIMER_JOB WHERE REPEAT_ IS NOT NULL"), 90);
    EXPECT_EQ(count_rows("JS_SERIES WHERE FIRE_COUNT_ = 1"), 90);
}

TEST_P(SeriesTurns, A_long_payload_is_copied_for_every_turn) {
    const std::string payload(5000, 'x');
    start(every_ten_minutes(), a_job("").with_payload(payload));
    const Job first = fire_after(10min);
    EXPECT_EQ(first.payload, payload);
    complete(first);
    EXPECT_EQ(count_rows("ACT_GE_BYTEARRAY"), 1);
    const Job second = fire_after(10min);
    EXPECT_EQ(second.payload, payload);
    EXPECT_NE(second.custom_values_id, first.custom_values_id);
}

// R125
class SeriesWithoutOverlap : public SeriesTest {
protected:
    void start_without_overlap(std::string repeat = "R/PT10M") {
        start({.key = "s", .repeat = std::move(repeat), .overlap = false});
    }
};

ON_EVERY_DATABASE(SeriesWithoutOverlap);

// R123, R147: and what fell due meanwhile fires at once then.
TEST_P(SeriesWithoutOverlap, The_next_turn_waits_for_the_end_of_the_one_before) {
    start_without_overlap();
    const Job first = fire_after(10min);
    EXPECT_EQ(condition(), SeriesCondition::running);
    EXPECT_EQ(count_rows("ACT_RU_TIMER_JOB"), 0);
    clock_.tick(15min);
    EXPECT_THAT(fire(), IsEmpty());
    complete(first);
    EXPECT_EQ(condition(), SeriesCondition::waiting);
    const Job second = fire_after(0ms);
    EXPECT_EQ(second.due_date, *first.due_date + 10min);
    EXPECT_EQ(series().next_fire, *first.due_date + 20min);
    EXPECT_EQ(carrying_jobs(), 1);
}

TEST_P(SeriesWithoutOverlap, A_retry_keeps_the_next_turn_waiting) {
    start_without_overlap();
    fail(fire_after(10min));
    EXPECT_EQ(only_job_in(JobPlace::timer).id, "s-1");
    EXPECT_EQ(condition(), SeriesCondition::running);
    const Job again = fire_after(1min);
    EXPECT_EQ(again.id, "s-1");
    EXPECT_EQ(series().fire_count, 1);
    complete(again);
    EXPECT_EQ(only_job_in(JobPlace::timer).due_date, series().next_fire);
    EXPECT_EQ(carrying_jobs(), 1);
}

TEST_P(SeriesWithoutOverlap, An_interrupted_turn_is_the_same_turn_again) {
    start_without_overlap();
    const Job turn = fire_after(10min);
    apply({outcome_of(turn, schema::interrupted(turn, 1s, clock_.now()))});
    EXPECT_EQ(fire_after(1s).id, "s-1");
    EXPECT_EQ(series().fire_count, 1);
}

TEST_P(
    SeriesWithoutOverlap,
    A_dead_letter_lets_the_series_go_on_and_its_requeue_does_not_double_it
) {
    start_without_overlap();
    kill_job(fire_after(10min));
    EXPECT_EQ(only_job_in(JobPlace::dead_letter).repeat, "");
    EXPECT_EQ(condition(), SeriesCondition::waiting);
    EXPECT_EQ(carrying_jobs(), 1);
    requeue({"s-1"}, 1);
    complete(acquire().at(0));
    EXPECT_EQ(count_rows("ACT_RU_TIMER_JOB"), 1);
}

TEST_P(SeriesWithoutOverlap, A_result_that_comes_after_the_lock_was_lost_brings_no_turn) {
    start_without_overlap();
    const Job turn = fire_after(10min);
    clock_.tick(1h);
    EXPECT_EQ(reset_locks(), 1);
    EXPECT_THAT(apply({completed_outcome(turn)}), ElementsAre(OutcomeAnswer::lost_lock));
    EXPECT_EQ(count_rows("ACT_RU_TIMER_JOB"), 0);
    complete(acquire().at(0));
    EXPECT_EQ(count_rows("ACT_RU_TIMER_JOB"), 1);
}

TEST_P(SeriesWithoutOverlap, The_last_turn_of_a_limited_series_needs_no_successor) {
    start_without_overlap("R1/PT10M");
    const Job last = fire_after(10min);
    EXPECT_EQ(last.repeat, "");
    EXPECT_EQ(condition(), SeriesCondition::ended);
    complete(last);
    EXPECT_EQ(count_rows("ACT_RU_TIMER_JOB"), 0);
}

// R126
TEST_P(SeriesWithoutOverlap, The_payload_that_a_turn_hands_on_is_that_of_the_next) {
    start(
        {.key = "s", .repeat = "R/PT10M", .keep_data = true}, a_job("").with_payload("{\"n\": 1}")
    );
    complete(fire_after(10min), "{\"n\": 2}");
    Job turn = fire_after(10min);
    EXPECT_EQ(turn.payload, "{\"n\": 2}");
    const std::string large(5000, 'x');
    complete(turn, large);
    turn = fire_after(10min);
    EXPECT_EQ(turn.payload, large);
    complete(turn);
    turn = fire_after(10min);
    EXPECT_EQ(turn.payload, large);
    complete(turn, "{}");
    EXPECT_EQ(count_rows("ACT_GE_BYTEARRAY"), 0);
    EXPECT_EQ(fire_after(10min).payload, "{}");
}

TEST_P(SeriesWithoutOverlap, A_payload_is_dropped_if_the_series_keeps_no_data) {
    start_without_overlap();
    complete(fire_after(10min), "{\"n\": 2}");
    EXPECT_EQ(fire_after(10min).payload, "");
}

class SeriesOptions : public SeriesTest {};

ON_EVERY_DATABASE(SeriesOptions);

TEST_P(SeriesOptions, A_dead_letter_pauses_the_series_if_that_was_asked_for) {
    for (const bool overlap : {true, false}) {
        const std::string key = overlap ? "a" : "b";
        start({.key = key, .repeat = "R/PT10M", .overlap = overlap, .stop_on_dead_letter = true});
        kill_job(fire_after(10min));
        EXPECT_EQ(condition(key), SeriesCondition::paused);
        clock_.tick(10min);
        EXPECT_THAT(fire(), IsEmpty());
        activate(SuspensionScope::series, key);
        EXPECT_EQ(fire().size(), 1U);
        EXPECT_EQ(store_.series().end_series(key, clock_.now()), SeriesAnswer::done);
    }
}

TEST_P(SeriesOptions, A_turn_whose_node_died_is_run_again_unless_its_series_says_no) {
    start(every_ten_minutes("again"));
    start({.key = "never", .repeat = "R/PT10M", .overlap = false, .recovery = false});
    start({.key = "never, overlapping", .repeat = "R/PT10M", .recovery = false});
    clock_.tick(10min);
    ASSERT_EQ(fire().size(), 3U);
    EXPECT_EQ(count_rows("ACT_RU_TIMER_JOB"), 2);
    clock_.tick(5min + 1ms);
    EXPECT_EQ(reset_locks(), 3);
    EXPECT_THAT(ids_of(acquire()), ElementsAre("again-1"));
    EXPECT_EQ(condition("never"), SeriesCondition::waiting);
    EXPECT_EQ(count_rows("ACT_RU_TIMER_JOB"), 3);
    EXPECT_EQ(carrying_jobs(), 3);
}

TEST_P(SeriesOptions, The_turn_after_one_that_was_let_go_has_its_long_payload) {
    const std::string large(5000, 'x');
    start(
        {.key = "s", .repeat = "R/PT10M", .overlap = false, .recovery = false},
        a_job("").with_payload(large)
    );
    (void)fire_after(10min);
    clock_.tick(5min + 1ms);
    EXPECT_EQ(reset_locks(), 1);
    EXPECT_EQ(fire_after(5min).payload, large);
    EXPECT_EQ(count_rows("ACT_GE_BYTEARRAY"), 1);
}

// R119, R143
TEST_P(SeriesOptions, A_backlog_of_turns_is_taken_in_due_order_and_keeps_no_new_timer_waiting) {
    start({.key = "a", .repeat = "R/PT10S", .misfire = "ignore"});
    start({.key = "b", .repeat = "R/PT7S", .misfire = "ignore"});
    clock_.tick(3h);
    insert(JobPlace::timer, a_job("new").due_at(clock_.now()));
    const std::vector<Job> first = fire();
    EXPECT_THAT(ids_of(first), ElementsAre("b-1", "a-1", "new"));
    const std::vector<Job> second = fire();
    ASSERT_EQ(second.size(), 2U);
    EXPECT_EQ(second[0].due_date, *first[0].due_date + 7s);
    EXPECT_EQ(second[1].due_date, *first[1].due_date + 10s);
}

// R127 to R137: a node that slept for an hour, with each instruction.
TEST_P(SeriesOptions, After_an_hour_asleep_each_misfire_instruction_gives_the_result_of_its_table) {
    struct Row {
        const char* repeat;
        const char* misfire;
        std::size_t fired;
        std::optional<schema::Duration> next;  ///< After the moment of waking up.
    };
    const std::vector<Row> rows{
        {"R/PT10M", "", 1, 9min + 55s},
        {"R3/PT10M", "", 3, std::nullopt},
        {"R100/PT10M", "", 6, 9min + 55s},
        {"R/PT10M", "smart", 0, 9min + 55s},
        {"R/PT10M", "ignore", 6, 9min + 55s},
        {"R/PT10M", "fire-now", 1, 10min},
        {"R/PT10M", "now-with-existing", 1, 10min},
        {"R/PT10M", "now-with-remaining", 1, 10min},
        {"R/PT10M", "next-with-remaining", 0, 9min + 55s},
        {"R/PT10M", "next-with-existing", 0, 9min + 55s},
        {"R3/PT10M", "smart", 1, 10min},
        {"R3/PT10M", "now-with-remaining", 1, std::nullopt},
        {"R3/PT10M", "next-with-existing", 0, std::nullopt},
        {"0 0/10 * * * ?", "", 1, 9min + 55s},
        {"0 0/10 * * * ?", "fire-once-now", 1, 9min + 55s},
        {"0 0/10 * * * ?", "do-nothing", 0, 9min + 55s},
        {"0 0/10 * * * ?", "ignore", 6, 9min + 55s},
    };
    for (std::size_t i = 0; i < rows.size(); ++i) {
        start({.key = std::to_string(i), .repeat = rows[i].repeat, .misfire = rows[i].misfire});
    }
    clock_.tick(1h + 5s);
    std::map<std::string, std::size_t> fired;
    while (store_.timers().next_due({}).value_or(schema::TimePoint::max()) <= clock_.now()) {
        for (const Job& turn : fire()) {
            ++fired[turn.series];
        }
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const Series after = series(std::to_string(i));
        const auto next = rows[i].next ? std::optional(clock_.now() + *rows[i].next) : std::nullopt;
        EXPECT_EQ(fired[after.key], rows[i].fired) << rows[i].repeat << ' ' << rows[i].misfire;
        EXPECT_EQ(after.next_fire, next) << rows[i].repeat << ' ' << rows[i].misfire;
        EXPECT_EQ(after.state == schema::SeriesState::ended, !next) << rows[i].repeat;
    }
}

/// A timer mover that finds series which have slept, on every database. Its page holds four timers.
class FairTurns : public SeriesTest {
protected:
    FairTurns() { intake_.takes_timers = false; }

    /// They have a thousand turns each, a second apart, all of which are to be made up for.
    void start_series(int count) {
        for (int i = 0; i < count; ++i) {
            start({.key = key(i), .repeat = "R1000/PT1S"});
        }
    }

    [[nodiscard]] static std::string key(int i) { return "s" + std::to_string(i); }

    void pass(int times = 1) {
        for (int i = 0; i < times; ++i) {
            clock_.tick(1ms);
            (void)mover_.run_once();
        }
    }

    [[nodiscard]] std::vector<std::int64_t> turns_of_series(int count) {
        std::vector<std::int64_t> turns;
        for (int i = 0; i < count; ++i) {
            turns.push_back(series(key(i)).fire_count);
        }
        return turns;
    }

    RecordingIntake intake_;
    executor::WakeUps wake_ups_;
    timers::TimerMover mover_{{store_.timers(), intake_, clock_, wake_ups_}, {.page = 4}};
};

ON_EVERY_DATABASE(FairTurns);

TEST_P(FairTurns, Series_that_catch_up_do_not_keep_a_new_timer_waiting) {
    start_series(10);
    clock_.tick(900s);
    insert(JobPlace::timer, a_timer("new", 0ms));
    pass(4);
    EXPECT_EQ(place_of("new"), "executable") << "behind one turn of each, not behind 9,000";
}

TEST_P(FairTurns, A_timer_that_falls_due_while_series_catch_up_waits_for_one_round) {
    start_series(10);
    clock_.tick(500s);
    for (int i = 0; i < 5; ++i) {
        const std::string id = "new" + std::to_string(i);
        insert(JobPlace::timer, a_timer(id, 3ms));
        pass(9);
        EXPECT_EQ(place_of(id), "executable") << i;
    }
}

TEST_P(FairTurns, Series_that_catch_up_come_on_side_by_side) {
    start_series(10);
    clock_.tick(900s);
    pass(30);
    const std::vector<std::int64_t> turns = turns_of_series(10);
    const auto [least, most] = std::ranges::minmax(turns);
    EXPECT_GE(least, 5);
    EXPECT_LE(most - least, 2);
}

TEST_P(FairTurns, No_turn_is_lost_or_doubled_on_the_way) {
    start_series(6);
    clock_.tick(20s);
    insert(JobPlace::timer, a_timer("new", 0ms));
    for (int i = 0; i < 200 && store_.timers().next_due({}) <= clock_.now(); ++i) {
        pass();
    }
    EXPECT_EQ(turns_of_series(6), std::vector<std::int64_t>(6, 20));
    EXPECT_EQ(count_rows("ACT_RU_JOB"), 6 * 20 + 1);
    EXPECT_EQ(carrying_jobs(), 6);
}

TEST_P(FairTurns, The_turns_of_a_series_that_catches_up_come_in_their_order) {
    start_series(1);
    clock_.tick(10s);
    std::vector<schema::TimePoint> due;
    for (int i = 0; i < 10; ++i) {
        const auto moved = move_due(1);
        ASSERT_EQ(moved.locked.size(), 1U);
        due.push_back(moved.locked.front().due_date.value());
    }
    EXPECT_TRUE(std::ranges::is_sorted(due));
    EXPECT_EQ(due.back() - due.front(), 9s);
}

TEST_P(FairTurns, Timers_without_a_series_move_in_the_order_of_their_due_dates_as_ever) {
    std::vector<Job> timers;
    for (int i = 0; i < 20; ++i) {
        timers.push_back(a_timer("t" + std::to_string(i), -(20s - i * 1s)));
    }
    insert(JobPlace::timer, std::move(timers));
    for (int moved = 4; moved <= 20; moved += 4) {
        pass();
        for (int i = 0; i < 20; ++i) {
            EXPECT_EQ(place_of("t" + std::to_string(i)), i < moved ? "executable" : "timer") << i;
        }
    }
}

TEST_P(FairTurns, What_a_round_leaves_out_are_turns_made_since_and_what_was_not_due_yet) {
    start({.key = "s", .repeat = "R9/PT1S"});
    clock_.tick(10s);
    const schema::TimePoint round = clock_.now();
    insert(JobPlace::timer, {a_timer("a plain one", 0ms), a_timer("a later one", 1ms)});
    // Inserted by an app that says nothing of when.
    execute(
        "INSERT INTO ACT_RU_TIMER_JOB "
        "(ID_, TYPE_, RETRIES_, HANDLER_TYPE_, DUEDATE_, REPEAT_, CREATE_TIME_) "
        "VALUES ('by hand', 'timer', 3, 'noop', ?, 'R9/PT1S', ?)",
        {clock_.now() - 1s, Value{}}
    );
    clock_.tick(2ms);
    persistence::DueWindow window(clock_.now());
    window.as_of = round;
    EXPECT_EQ(store_.timers().move_due_timers(window, 100, std::nullopt, {}).moved, 3U);
    EXPECT_THAT(places_of({"s-1", "by hand"}), ElementsAre("executable", "executable"));
    EXPECT_THAT(places_of({"a plain one", "a later one"}), ElementsAre("executable", "timer"));
    EXPECT_EQ(store_.timers().move_due_timers(window, 100, std::nullopt, {}).moved, 0U);
    EXPECT_EQ(move_due_free().moved, 3U) << "the turns that follow, and what was not due yet";
}

}  // namespace

}  // namespace jobstrand::test
