#include "test/conformance/series_fixture.hpp"
#include "test/fixtures/recording_intake.hpp"
#include "timers/timer_mover.hpp"

#include <algorithm>

namespace jobstrand::test {

namespace {

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

    Job a_timer(std::string id, schema::Duration due_in) {
        return a_job(std::move(id)).of_kind(schema::kTimerType).due_at(clock_.now() + due_in);
    }

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

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    FairTurns,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

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
        const auto moved =
            store_.timers().move_due_timers(clock_.now(), 1, claim_of("node-1"), noop_);
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
    insert(JobPlace::timer, a_timer("a plain one", 0ms));
    insert(JobPlace::timer, a_timer("a later one", 1ms));
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
    EXPECT_EQ(place_of("s-1"), "executable");
    EXPECT_EQ(place_of("by hand"), "executable");
    EXPECT_EQ(place_of("a plain one"), "executable");
    EXPECT_EQ(place_of("a later one"), "timer");
    EXPECT_EQ(store_.timers().move_due_timers(window, 100, std::nullopt, {}).moved, 0U);
    EXPECT_EQ(store_.timers().move_due_timers(clock_.now(), 100, std::nullopt, {}).moved, 3U)
        << "the turns that follow, and what was not due yet";
}

}  // namespace

}  // namespace jobstrand::test
