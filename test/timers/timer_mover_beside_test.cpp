#include "persistence/sql/db_error.hpp"
#include "schema/clock.hpp"
#include "test/fixtures/job_builder.hpp"
#include "test/fixtures/recording_intake.hpp"
#include "test/timers/mock_timer_store.hpp"
#include "timers/timer_mover.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace jobstrand::timers {
namespace {

using namespace std::chrono_literals;
using executor::kUntilWoken;
using persistence::DueTimers;
using persistence::DueWindow;
using persistence::PageLimit;
using test::a_job;
using testing::_;
using testing::Return;

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

    testing::StrictMock<test::MockTimerStore> store;
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

}  // namespace
}  // namespace jobstrand::timers
