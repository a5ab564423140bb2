#include "timers/timer_mover.hpp"

#include "executor/loop/scan_start.hpp"
#include "persistence/sql/db_error.hpp"
#include "persistence/timer_store.hpp"
#include "schema/clock.hpp"
#include "test/fixtures/job_builder.hpp"
#include "test/fixtures/recording_intake.hpp"
#include "timers/due_start.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <utility>

namespace jobstrand::timers {

namespace {

using executor::kUntilWoken;
using persistence::DueTimers;
using persistence::DueWindow;
using persistence::PageLimit;
using schema::TimePoint;
using test::a_job;
using testing::_;
using testing::ElementsAre;
using testing::Eq;
using testing::Field;
using testing::Return;
using namespace std::chrono_literals;

class MockTimerStore : public persistence::TimerStore {
public:
    using Claim = std::optional<persistence::LockClaim>;
    using Served = persistence::ServedJobs;

    MOCK_METHOD(
        std::optional<schema::TimePoint>,
        next_due,
        (const Served&, std::optional<schema::TimePoint>),
        (override)
    );
    MOCK_METHOD(
        std::optional<schema::TimePoint>,
        next_due_of_others,
        (const Served&, std::optional<schema::TimePoint>, schema::TimePoint),
        (override)
    );
    MOCK_METHOD(
        persistence::DueTimers,
        move_due_timers,
        (persistence::DueWindow, persistence::PageLimit, const Claim&, const Served&),
        (override)
    );
};

testing::Matcher<const persistence::ServedJobs&> serves(const char* type) {
    return testing::Field(&persistence::ServedJobs::types, ElementsAre(type));
}

class TimerMoverTest : public testing::Test {
protected:
    testing::StrictMock<MockTimerStore> store;
    schema::ManualClock clock;
    test::RecordingIntake intake;
    executor::WakeUps wake_ups;
    TimerMover mover{{store, intake, clock, wake_ups}, {.page = 100, .wait = 1s}};
};

// R120
TEST_F(TimerMoverTest, It_sleeps_until_the_next_due_time) {
    EXPECT_CALL(store, next_due(_, _)).WillOnce(Return(clock.now() + 37ms));
    EXPECT_EQ(mover.run_once(), 37ms);
}

/// A node that has just started, on a database that may keep what was deleted.
class FirstTimerLook : public TimerMoverTest {
protected:
    FirstTimerLook() { mover.search_first(); }

    /// A look takes so long.
    [[nodiscard]] auto look(std::optional<schema::TimePoint> found, schema::Duration took = 0ms) {
        return [this, found, took](auto&, auto) {
            clock.tick(took);
            return found;
        };
    }

    void expect_search(schema::Duration age, auto answer) {
        EXPECT_CALL(store, next_due(_, Eq(start - age))).WillOnce(answer);
    }

    const schema::TimePoint start = clock.now();
    testing::InSequence sequence;
};

TEST_F(FirstTimerLook, Is_at_all_where_nothing_is_in_its_way) {
    EXPECT_CALL(store, next_due(_, testing::Ne(std::nullopt)))
        .Times(8)
        .WillRepeatedly(Return(std::nullopt));
    EXPECT_CALL(store, next_due(_, Eq(std::nullopt))).WillOnce(Return(clock.now() + 37ms));
    EXPECT_EQ(mover.run_once(), 37ms);
}

TEST_F(FirstTimerLook, Finds_what_is_recently_due_before_it_passes_over_what_was_deleted) {
    intake.free_places = 100;
    expect_search(1s, look(start - 1s));
    expect_search(4s, look(start - 3s, 51ms));
    EXPECT_CALL(store, move_due_timers(Field(&DueWindow::from, start - 3s), _, _, _))
        .WillOnce(Return(DueTimers{.moved = 1}));
    EXPECT_EQ(mover.run_once(), 0ms);
}

TEST_F(FirstTimerLook, Is_at_all_within_two_seconds_where_a_search_took_long) {
    TimerMover patient{{store, intake, clock, wake_ups}, {.wait = 1min}};
    patient.search_first();
    expect_search(1s, look(std::nullopt, 3s));
    EXPECT_EQ(patient.run_once(), 0ms) << "the two seconds are over";
    EXPECT_CALL(store, next_due(_, Eq(std::nullopt))).WillOnce(look(std::nullopt, 3s));
    EXPECT_EQ(patient.run_once(), 1min);
}

TEST_F(FirstTimerLook, Looks_meanwhile_from_where_the_search_has_ended) {
    expect_search(1s, look(std::nullopt, 60ms));
    EXPECT_EQ(mover.run_once(), 1s);
    clock.tick(1s);
    EXPECT_CALL(store, next_due(_, Eq(start - executor::kUsualCommit)))
        .WillOnce(look(std::nullopt));
    EXPECT_EQ(mover.run_once(), 140ms) << "after twenty times what the search took";
    clock.tick(140ms);
    EXPECT_CALL(store, next_due(_, Eq(std::nullopt))).WillOnce(look(std::nullopt, 1s));
    EXPECT_EQ(mover.run_once(), 1s);
}

class TimerMoverBesideAcquisition : public TimerMoverTest {
protected:
    /// An idle acquisition has looked around.
    void see(std::optional<schema::TimePoint> due) {
        clock.tick(1ms);
        view.saw({.at = clock.now(), .next_due = due}, clock.steady_now());
    }

    executor::LastView view{wake_ups};
    TimerMover mover{{store, intake, clock, wake_ups, &view}, {.page = 100, .wait = 2s}};
};

TEST_F(TimerMoverBesideAcquisition, It_asks_nothing_while_the_acquisition_sees_the_timers) {
    see(std::nullopt);
    EXPECT_EQ(mover.run_once(), 2s);
    see(clock.now() + 500ms);
    EXPECT_EQ(mover.run_once(), 499ms);
    see(std::nullopt);
    clock.tick(700ms);
    EXPECT_EQ(mover.run_once(), 1300ms) << "as if it had looked then";
}

TEST_F(TimerMoverBesideAcquisition, It_looks_itself_at_a_timer_that_was_stored_since) {
    see(std::nullopt);
    mover.timer_was_stored(clock.now() + 300ms);
    EXPECT_CALL(store, next_due(_, _)).WillOnce(Return(clock.now() + 300ms));
    EXPECT_EQ(mover.run_once(), 300ms);
}

TEST_F(TimerMoverBesideAcquisition, It_looks_itself_when_the_acquisition_has_other_things_to_do) {
    see(std::nullopt);
    clock.tick(2s);
    EXPECT_EQ(mover.run_once(), 20ms) << "it may be about to look";
    EXPECT_CALL(store, next_due(_, _)).WillOnce(Return(std::nullopt));
    EXPECT_EQ(mover.run_once(), 2s);
}

TEST_F(TimerMoverBesideAcquisition, What_others_stored_the_acquisition_sees_a_moment_later) {
    see(std::nullopt);
    mover.others_may_have_stored();
    EXPECT_EQ(mover.run_once(), 20ms);
    see(clock.now() + 1h);
    EXPECT_EQ(mover.run_once(), 2s);
}

TEST_F(TimerMoverBesideAcquisition, If_it_does_not_the_mover_looks_itself) {
    see(std::nullopt);
    mover.others_may_have_stored();
    EXPECT_EQ(mover.run_once(), 20ms);
    EXPECT_CALL(store, next_due(_, _)).WillOnce(Return(std::nullopt));
    EXPECT_EQ(mover.run_once(), 2s);
}

TEST_F(TimerMoverBesideAcquisition, It_does_not_wait_for_that_beyond_a_timer_that_it_knows_of) {
    see(clock.now() + 6ms);
    EXPECT_EQ(mover.run_once(), 5ms);
    mover.others_may_have_stored();
    EXPECT_EQ(mover.run_once(), 5ms);
    clock.tick(5ms);
    mover.others_may_have_stored();
    EXPECT_CALL(store, next_due(_, _)).WillOnce(Return(clock.now() + 1h));
    EXPECT_EQ(mover.run_once(), 2s);
}

// R169
TEST_F(TimerMoverTest, It_looks_again_within_the_wait_for_timers_of_other_processes) {
    EXPECT_CALL(store, next_due(_, _))
        .WillOnce(Return(clock.now() + 1h))
        .WillOnce(Return(std::nullopt));
    EXPECT_EQ(mover.run_once(), 1s);
    EXPECT_EQ(mover.run_once(), 1s);
}

// R151
TEST_F(TimerMoverTest, Due_timers_arrive_locked_and_are_handed_over_while_there_is_room) {
    intake.free_places = 7;
    EXPECT_CALL(store, next_due(_, _)).WillOnce(Return(clock.now()));
    intake.free_bytes = 1000;
    EXPECT_CALL(
        store, move_due_timers(DueWindow(clock.now()), PageLimit(7, 1000), _, serves("mail"))
    )
        .WillOnce([&](auto, auto, const std::optional<persistence::LockClaim>& claim, auto) {
            EXPECT_EQ(claim->owner, "intake");
            EXPECT_EQ(claim->until, clock.now() + 30s);
            return DueTimers{.moved = 2, .locked = {a_job("a")}};
        });
    EXPECT_EQ(mover.run_once(), 0ms);
    EXPECT_EQ(intake.ids(), std::vector<std::string>{"a"});
    EXPECT_EQ(mover.moved(), 2U);
}

TEST_F(TimerMoverTest, Due_timers_move_free_where_the_order_of_acquisition_is_to_decide) {
    intake.takes_timers = false;
    intake.free_places = 7;
    EXPECT_CALL(store, next_due(_, _)).WillOnce(Return(clock.now() - 5s));
    EXPECT_CALL(store, move_due_timers(_, PageLimit(100), Eq(std::nullopt), _))
        .WillOnce(Return(DueTimers{.moved = 100, .locked = {}}));
    EXPECT_EQ(mover.run_once(), 0ms);
    EXPECT_TRUE(intake.ids().empty());
    EXPECT_FALSE(mover.awaits_room());
}

TEST_F(TimerMoverTest, Due_timers_stay_where_they_are_until_there_is_room) {
    EXPECT_CALL(store, next_due(_, _)).WillRepeatedly(Return(clock.now() - 5s));
    EXPECT_FALSE(mover.awaits_room());
    EXPECT_CALL(store, next_due_of_others(serves("mail"), _, clock.now() + 1s))
        .WillOnce(Return(std::nullopt));
    EXPECT_EQ(mover.run_once(), 1s);
    EXPECT_TRUE(mover.awaits_room()) << "and is woken";
    intake.free_places = 3;
    EXPECT_CALL(store, move_due_timers(_, PageLimit(3), _, _))
        .WillOnce(Return(DueTimers{.moved = 3, .locked = {a_job("a"), a_job("b"), a_job("c")}}));
    EXPECT_EQ(mover.run_once(), 0ms);
    EXPECT_THAT(intake.ids(), ElementsAre("a", "b", "c"));
    EXPECT_FALSE(mover.awaits_room());
}

TEST_F(TimerMoverTest, Timers_of_others_do_not_wait_for_room_here) {
    const schema::TimePoint due = clock.now() - 1s;
    int wakes = 0;
    wake_ups.sleepers.acquisition = [&] { ++wakes; };
    EXPECT_CALL(store, next_due(_, _)).WillRepeatedly(Return(clock.now() - 5s));
    EXPECT_CALL(store, next_due_of_others(_, Eq(std::nullopt), _)).WillOnce(Return(due));
    DueWindow window(clock.now(), 0ms, due);
    window.are_served_left = true;
    EXPECT_CALL(store, move_due_timers(window, PageLimit(100), Eq(std::nullopt), serves("mail")))
        .WillOnce(Return(DueTimers{.moved = 2, .locked = {}}));
    EXPECT_EQ(mover.run_once(), 0ms);
    EXPECT_EQ(wakes, 1);
    EXPECT_CALL(store, next_due_of_others(_, Eq(due), _)).WillOnce(Return(clock.now() + 37ms));
    EXPECT_EQ(mover.run_once(), 37ms) << "it sleeps until the next one";
    EXPECT_TRUE(mover.awaits_room());
}

TEST_F(TimerMoverTest, What_waits_for_room_is_read_once_and_again_each_minute) {
    EXPECT_CALL(store, next_due(_, _)).WillRepeatedly(Return(clock.now() - 5s));
    std::vector<std::optional<schema::TimePoint>> begins;
    EXPECT_CALL(store, next_due_of_others(_, _, _))
        .WillRepeatedly([&](auto, std::optional<schema::TimePoint> from, auto) {
            begins.push_back(from);
            return std::nullopt;
        });
    const schema::TimePoint start = clock.now();
    for (const schema::Duration step : {0s, 1s, 58s, 1s}) {
        clock.tick(step);
        EXPECT_EQ(mover.run_once(), 1s);
    }
    EXPECT_THAT(begins, ElementsAre(std::nullopt, start, start + 1s, std::nullopt));
}

TEST_F(TimerMoverTest, In_a_backlog_each_page_begins_where_the_last_one_ended) {
    intake.free_places = 2;
    const schema::TimePoint end = clock.now() - 1h;
    EXPECT_CALL(store, next_due(_, _)).WillOnce(Return(clock.now() - 2h));
    EXPECT_CALL(store, move_due_timers(DueWindow(clock.now()), PageLimit(2), _, _))
        .WillOnce(Return(DueTimers{.moved = 2, .locked = {}, .end = end}));
    EXPECT_EQ(mover.run_once(), 0ms);
    DueWindow next(clock.now(), 0ms, end);
    next.as_of = clock.now();
    EXPECT_CALL(store, move_due_timers(next, PageLimit(2), _, _)).WillOnce(Return(DueTimers{}));
    EXPECT_EQ(mover.run_once(), 0ms) << "earlier ones may have come";
    EXPECT_CALL(store, next_due(_, _)).WillOnce(Return(std::nullopt));
    EXPECT_EQ(mover.run_once(), 1s);
}

TEST_F(TimerMoverTest, A_timer_that_is_stored_before_the_next_page_makes_it_begin_at_the_oldest) {
    intake.free_places = 2;
    const schema::TimePoint end = clock.now() - 1h;
    EXPECT_CALL(store, next_due(_, _)).WillRepeatedly(Return(clock.now() - 2h));
    const auto begins_at = [&](std::optional<schema::TimePoint> from) {
        EXPECT_CALL(store, move_due_timers(testing::Field(&DueWindow::from, from), _, _, _))
            .WillOnce(Return(DueTimers{.moved = 2, .locked = {}, .end = end}));
        EXPECT_EQ(mover.run_once(), 0ms);
    };
    begins_at(std::nullopt);
    mover.timer_was_stored(end);
    begins_at(end);
    mover.timer_was_stored(end - 1ms);
    mover.timer_was_stored(end + 5ms);
    begins_at(std::nullopt);
    begins_at(end);
}

TEST_F(TimerMoverTest, A_page_that_payloads_have_cut_short_is_not_the_end_of_a_backlog) {
    intake.free_places = 50;
    const schema::TimePoint end = clock.now() - 1h;
    EXPECT_CALL(store, next_due(_, _)).WillOnce(Return(clock.now() - 2h));
    EXPECT_CALL(store, move_due_timers(_, _, _, _))
        .WillOnce(Return(DueTimers{.moved = 2, .locked = {}, .end = end, .is_cut = true}));
    EXPECT_EQ(mover.run_once(), 0ms);
    DueWindow next(clock.now(), 0ms, end);
    next.as_of = clock.now();
    EXPECT_CALL(store, move_due_timers(next, _, _, _)).WillOnce(Return(DueTimers{}));
    EXPECT_EQ(mover.run_once(), 0ms);
}

TEST_F(TimerMoverTest, What_is_dead_in_front_is_passed_over_a_twentieth_of_the_time_at_most) {
    const schema::TimePoint start = clock.now();
    const auto looks_from = [&](std::optional<schema::TimePoint> from, schema::Duration time) {
        EXPECT_CALL(store, next_due(_, from)).WillOnce([this, time](auto&, auto) {
            clock.tick(time);
            return std::nullopt;
        });
        EXPECT_EQ(mover.run_once(), 1s);
    };
    looks_from(std::nullopt, 300ms);
    looks_from(start - executor::kUsualCommit, 6s - 301ms);
    mover.timer_was_stored(start - 1h);
    looks_from(start - 1h, 1ms);
    looks_from(std::nullopt, 1ms);
    looks_from(std::nullopt, 1ms);
}

TEST_F(TimerMoverTest, A_page_begins_with_the_first_due_timer_where_more_would_be_passed_over) {
    intake.free_places = 2;
    const schema::TimePoint due = clock.now() - 1h;
    EXPECT_CALL(store, next_due(_, _)).WillOnce([this, due](auto&, auto) {
        clock.tick(300ms);
        return due;
    });
    EXPECT_CALL(store, move_due_timers(testing::Field(&DueWindow::from, due), _, _, _))
        .WillOnce(Return(DueTimers{.moved = 2, .locked = {}, .end = due}));
    EXPECT_EQ(mover.run_once(), 0ms);
}

/// The moment that each page goes by: a full one for each number.
TEST_F(TimerMoverTest, A_round_moves_what_was_due_when_it_began) {
    intake.free_places = 100;
    EXPECT_CALL(store, next_due(_, _)).WillRepeatedly(Return(clock.now()));
    const std::pair<std::size_t, bool> pages[]{
        {100, true},
        {100, false},
        {100, false},
        {99, false},  // It was not full: nothing is left.
        {100, true},
        {100, false},
        {0, false},
        {12, true},
        {100, true},
        {5, false},
    };
    std::optional<schema::TimePoint> round;
    for (const auto& [moved, begins_a_round] : pages) {
        clock.tick(10ms);
        if (begins_a_round) {
            round.reset();
        }
        EXPECT_CALL(store, move_due_timers(testing::Field(&DueWindow::as_of, round), _, _, _))
            .WillOnce(Return(DueTimers{.moved = moved, .locked = {}, .end = clock.now()}));
        (void)mover.run_once();
        round = begins_a_round ? clock.now() : round;
    }
}

TEST_F(TimerMoverTest, A_round_goes_on_when_the_pages_begin_at_the_oldest_again) {
    intake.free_places = 100;
    EXPECT_CALL(store, next_due(_, _)).WillRepeatedly(Return(clock.now()));
    const schema::TimePoint begin = clock.now();
    std::vector<DueWindow> windows;
    EXPECT_CALL(store, move_due_timers(_, _, _, _))
        .Times(40)
        .WillRepeatedly([&](const DueWindow& window, auto, auto, auto) {
            windows.push_back(window);
            return DueTimers{.moved = 100, .locked = {}, .end = clock.now()};
        });
    int from_the_oldest = 0;
    for (int page = 0; page < 40; ++page) {
        clock.tick(1ms);
        (void)mover.run_once();
        from_the_oldest += windows.back().from ? 0 : 1;
        EXPECT_EQ(windows.back().as_of, page == 0 ? std::nullopt : std::optional(begin + 1ms));
    }
    EXPECT_GE(from_the_oldest, 3);
}

TEST_F(TimerMoverTest, What_arrives_free_wakes_the_acquisition) {
    intake.free_places = 5;
    int wakes = 0;
    wake_ups.sleepers.acquisition = [&] { ++wakes; };
    EXPECT_CALL(store, next_due(_, _)).WillOnce(Return(clock.now()));
    EXPECT_CALL(store, move_due_timers(_, _, _, _))
        .WillOnce(Return(DueTimers{.moved = 3, .locked = {a_job("a")}}));
    EXPECT_EQ(mover.run_once(), 0ms);
    EXPECT_EQ(wakes, 1);
}

TEST_F(TimerMoverTest, It_does_not_spin_on_due_timers_that_another_node_is_moving) {
    intake.free_places = 5;
    EXPECT_CALL(store, next_due(_, _)).WillOnce(Return(clock.now()));
    EXPECT_CALL(store, move_due_timers(_, _, _, _)).WillOnce(Return(DueTimers{}));
    EXPECT_GT(mover.run_once(), 0ms);
}

// R118
TEST_F(TimerMoverTest, With_a_due_timer_go_those_within_the_fire_ahead_window) {
    intake.free_places = 5;
    TimerMover early{{store, intake, clock, wake_ups}, {.fire_ahead = 50ms}};
    EXPECT_CALL(store, next_due(_, _)).WillOnce(Return(clock.now() + 20ms));
    EXPECT_EQ(early.run_once(), 20ms);
    EXPECT_CALL(store, next_due(_, _)).WillOnce(Return(clock.now()));
    DueWindow window(clock.now(), 50ms);
    EXPECT_CALL(store, move_due_timers(window, _, _, _))
        .WillOnce(Return(DueTimers{.moved = 1, .locked = {}}));
    EXPECT_EQ(early.run_once(), 0ms);
}

/// In a backlog of which the first page was moved.
class TimerMoverBeside : public testing::Test {
protected:
    void SetUp() override {
        intake.free_places = 4;
        EXPECT_CALL(store, next_due(_, _)).WillRepeatedly(Return(first));
        EXPECT_CALL(store, move_due_timers(from(std::nullopt), _, _, _))
            .WillOnce(Return(page_until(first)));
        (void)mover.run_once();
    }

    static testing::Matcher<DueWindow> from(std::optional<schema::TimePoint> due) {
        return testing::Field(&DueWindow::from, due);
    }

    static DueTimers page_until(schema::TimePoint end) {
        return {.moved = 2, .locked = {a_job("a"), a_job("b")}, .end = end};
    }

    testing::StrictMock<MockTimerStore> store;
    schema::ManualClock clock;
    test::RecordingIntake intake;
    executor::WakeUps wake_ups;
    TimerMover mover{{store, intake, clock, wake_ups}, {.page = 2}};
    const schema::TimePoint first = clock.now() - 3h;
    const schema::TimePoint second = clock.now() - 2h;
    const schema::TimePoint third = clock.now() - 1h;
};

TEST_F(TimerMoverBeside, Is_woken_before_a_page_is_moved_and_goes_on_behind_it) {
    int wakes = 0;
    wake_ups.sleepers.timers_beside = [&] { ++wakes; };
    EXPECT_CALL(store, move_due_timers(from(first), _, _, _))
        .WillOnce([&](const DueWindow& window, auto&&...) {
            window.when_found(second);
            EXPECT_EQ(wakes, 1);
            EXPECT_EQ(mover.beside().run_once(), 0ms) << "it looks again at once";
            return page_until(second);
        });
    EXPECT_CALL(store, move_due_timers(from(second), PageLimit(2), _, _))
        .WillOnce(Return(page_until(third)));
    EXPECT_EQ(mover.run_once(), 0ms);
    EXPECT_CALL(store, move_due_timers(from(third), _, _, _)).WillOnce(Return(DueTimers{}));
    EXPECT_EQ(mover.run_once(), 0ms) << "earlier ones may have come";
    EXPECT_EQ(mover.moved(), 6U);
    EXPECT_EQ(intake.accepted.size(), 6U);
}

TEST_F(TimerMoverBeside, Leaves_room_for_the_page_that_the_first_may_move_meanwhile) {
    intake.free_places = 3;
    EXPECT_EQ(mover.beside().run_once(), kUntilWoken);
}

TEST_F(TimerMoverBeside, Needs_no_room_for_what_moves_free) {
    intake.takes_timers = false;
    intake.free_places = 0;
    EXPECT_CALL(store, move_due_timers(from(first), PageLimit(2), testing::Eq(std::nullopt), _))
        .WillOnce(Return(DueTimers{.moved = 2, .locked = {}, .end = second}));
    EXPECT_EQ(mover.beside().run_once(), 0ms);
}

TEST_F(TimerMoverBeside, Sleeps_when_it_finds_nothing_more) {
    EXPECT_CALL(store, move_due_timers(from(first), _, _, _)).WillOnce(Return(DueTimers{}));
    EXPECT_EQ(mover.beside().run_once(), kUntilWoken);
}

TEST_F(TimerMoverBeside, Sleeps_where_there_is_no_backlog) {
    EXPECT_CALL(store, move_due_timers(from(first), _, _, _)).WillOnce(Return(DueTimers{}));
    (void)mover.run_once();
    EXPECT_EQ(mover.beside().run_once(), kUntilWoken);
}

TEST_F(TimerMoverBeside, Is_not_woken_by_a_page_that_is_small_for_want_of_room) {
    wake_ups.sleepers.timers_beside = [] { ADD_FAILURE() << "two of them would share one place"; };
    intake.free_places = 1;
    EXPECT_CALL(store, move_due_timers(from(first), _, _, _))
        .WillOnce([&](const DueWindow& window, auto&&...) {
            EXPECT_FALSE(window.when_found);
            return DueTimers{.moved = 1, .locked = {a_job("c")}, .end = second};
        });
    (void)mover.run_once();
}

TEST_F(TimerMoverBeside, What_a_failed_page_has_found_is_looked_for_again) {
    EXPECT_CALL(store, move_due_timers(from(first), _, _, _))
        .WillOnce([&](const DueWindow& window, auto&&...) -> DueTimers {
            window.when_found(second);
            throw persistence::DbError(persistence::DbErrorKind::connection_lost, "it is away");
        });
    EXPECT_THROW((void)mover.beside().run_once(), persistence::DbError);
    EXPECT_CALL(store, move_due_timers(from(std::nullopt), _, _, _)).WillOnce(Return(DueTimers{}));
    EXPECT_EQ(mover.run_once(), 0ms) << "of the round, which goes on";
}

class DueStartTest : public testing::Test {
protected:
    /// The first look takes a full page.
    void take_page(TimePoint end) { start.ended(start.begin(), end, now); }

    DueStart start;
    const TimePoint now{100h};
    const TimePoint a = now - 9h;
    const TimePoint b = now - 8h;
    const TimePoint c = now - 7h;
};

TEST_F(DueStartTest, It_begins_at_the_oldest) {
    EXPECT_EQ(start.begin().from, std::nullopt);
    EXPECT_EQ(start.begin().round, std::nullopt);
    EXPECT_FALSE(start.begin_beside()) << "there is no backlog";
}

TEST_F(DueStartTest, A_full_page_is_followed_by_what_is_due_later_in_the_same_round) {
    take_page(a);
    EXPECT_EQ(start.begin().from, a);
    EXPECT_EQ(start.begin().round, now);
}

TEST_F(DueStartTest, A_page_that_is_not_full_ends_the_backlog_and_the_round) {
    take_page(a);
    start.ended(start.begin(), std::nullopt, now);
    EXPECT_EQ(start.begin().from, std::nullopt);
    EXPECT_EQ(start.begin().round, std::nullopt);
}

TEST_F(DueStartTest, One_page_in_sixteen_is_taken_from_the_oldest_in_the_same_round) {
    for (int page = 0; page < executor::kPagesFromTheStart; ++page) {
        EXPECT_EQ(start.begin().from.has_value(), page != 0);
        take_page(a);
    }
    EXPECT_EQ(start.begin().from, std::nullopt);
    EXPECT_EQ(start.begin().round, now);
}

TEST_F(DueStartTest, A_second_look_goes_on_behind_what_the_first_has_found) {
    const DueLook first = start.begin();
    start.found(first, a, now);
    const auto second = start.begin_beside();
    ASSERT_TRUE(second);
    EXPECT_EQ(second->from, a);
    EXPECT_EQ(second->round, now);
    start.found(*second, b, now);
    start.ended(first, a, now);
    EXPECT_EQ(start.begin().from, b) << "and the first behind what the second has found";
}

TEST_F(
    DueStartTest,
    Where_the_second_look_finds_no_full_page_the_first_says_whether_that_is_the_end
) {
    take_page(a);
    start.ended(*start.begin_beside(), std::nullopt, now);
    EXPECT_EQ(start.begin().from, a);
}

TEST_F(DueStartTest, A_look_that_began_before_the_last_start_at_the_oldest_moves_nothing) {
    take_page(a);
    const auto second = start.begin_beside();
    start.stored(a - 1ms);
    take_page(b);
    start.found(*second, c, now);
    EXPECT_EQ(start.begin().from, b);
}

TEST_F(DueStartTest, What_was_found_and_not_moved_is_looked_for_again) {
    take_page(a);
    start.found(start.begin(), b, now);
    start.failed();
    EXPECT_EQ(start.begin().from, std::nullopt);
}

TEST_F(DueStartTest, Only_a_timer_that_would_be_passed_over_makes_it_begin_at_the_oldest) {
    take_page(a);
    start.stored(a);
    EXPECT_EQ(start.begin().from, a);
    start.stored(a - 1ms);
    EXPECT_EQ(start.begin().from, std::nullopt);
}

}  // namespace

}  // namespace jobstrand::timers
