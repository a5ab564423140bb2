#include "timers/timer_mover.hpp"

#include "test/fixtures/job_builder.hpp"
#include "test/fixtures/manual_clock.hpp"
#include "test/fixtures/recording_intake.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace jobstrand::timers {
namespace {

using namespace std::chrono_literals;
using persistence::DueTimers;
using persistence::DueWindow;
using test::a_job;
using testing::_;
using testing::ElementsAre;
using testing::Return;

class MockTimerStore : public persistence::TimerStore {
public:
    using Claim = std::optional<persistence::LockClaim>;
    using Types = std::span<const std::string>;

    MOCK_METHOD(std::optional<schema::TimePoint>, next_due, (), (override));
    MOCK_METHOD(
        DueTimers,
        move_due_timers,
        (DueWindow, std::size_t, const Claim&, Types),
        (override)
    );
};

class TimerMoverTest : public testing::Test {
protected:
    testing::StrictMock<MockTimerStore> store;
    test::ManualClock clock;
    test::RecordingIntake intake;
    executor::WakeUps wake_ups;
    TimerMover mover{{store, intake, clock, wake_ups}, {.page = 100, .wait = 1s}};
};

TEST_F(TimerMoverTest, It_sleeps_until_the_next_due_time) {
    EXPECT_CALL(store, next_due()).WillOnce(Return(clock.now() + 37ms));
    EXPECT_EQ(mover.run_once(), 37ms);
}

// R169
TEST_F(TimerMoverTest, It_looks_again_within_the_wait_for_timers_of_other_processes) {
    EXPECT_CALL(store, next_due())
        .WillOnce(Return(clock.now() + 1h))
        .WillOnce(Return(std::nullopt));
    EXPECT_EQ(mover.run_once(), 1s);
    EXPECT_EQ(mover.run_once(), 1s);
}

// R151
TEST_F(TimerMoverTest, Due_timers_arrive_locked_and_are_handed_over_while_there_is_room) {
    intake.free_places = 7;
    EXPECT_CALL(store, next_due()).WillOnce(Return(clock.now()));
    EXPECT_CALL(store, move_due_timers(DueWindow(clock.now()), 7, _, ElementsAre("mail")))
        .WillOnce([&](auto, auto, const std::optional<persistence::LockClaim>& claim, auto) {
            EXPECT_EQ(claim->owner, "intake");
            EXPECT_EQ(claim->until, clock.now() + 30s);
            return DueTimers{.moved = 2, .locked = {a_job("a")}};
        });
    EXPECT_EQ(mover.run_once(), 0ms);
    EXPECT_EQ(intake.ids(), std::vector<std::string>{"a"});
}

TEST_F(TimerMoverTest, Due_timers_move_unlocked_when_there_is_no_room_here) {
    EXPECT_CALL(store, next_due()).WillOnce(Return(clock.now() - 5s));
    EXPECT_CALL(store, move_due_timers(_, 100, testing::Eq(std::nullopt), _))
        .WillOnce(Return(DueTimers{.moved = 100, .locked = {}}));
    EXPECT_EQ(mover.run_once(), 0ms);
    EXPECT_TRUE(intake.ids().empty());
}

TEST_F(TimerMoverTest, In_a_backlog_each_page_begins_where_the_last_one_ended) {
    intake.free_places = 2;
    const schema::TimePoint end = clock.now() - 1h;
    EXPECT_CALL(store, next_due()).WillOnce(Return(clock.now() - 2h));
    EXPECT_CALL(store, move_due_timers(DueWindow(clock.now()), 2, _, _))
        .WillOnce(Return(DueTimers{.moved = 2, .locked = {}, .end = end}));
    EXPECT_EQ(mover.run_once(), 0ms);
    DueWindow next(clock.now(), 0ms, end);
    next.turns_made_before = clock.now();
    EXPECT_CALL(store, move_due_timers(next, 2, _, _)).WillOnce(Return(DueTimers{}));
    EXPECT_EQ(mover.run_once(), 0ms) << "earlier ones may have come";
    EXPECT_CALL(store, next_due()).WillOnce(Return(std::nullopt));
    EXPECT_EQ(mover.run_once(), 1s);
}

/// The moment since which turns are left out, page by page: a full one for each number.
TEST_F(TimerMoverTest, A_round_leaves_out_the_turns_that_were_made_since_it_began) {
    EXPECT_CALL(store, next_due()).WillRepeatedly(Return(clock.now()));
    struct Page {
        std::size_t moved;
        bool begins_a_round;
    };
    const Page pages[] = {
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
    for (const Page& page : pages) {
        clock.tick(10ms);
        if (page.begins_a_round) {
            round.reset();
        }
        EXPECT_CALL(
            store, move_due_timers(testing::Field(&DueWindow::turns_made_before, round), 100, _, _)
        )
            .WillOnce(Return(DueTimers{.moved = page.moved, .locked = {}, .end = clock.now()}));
        (void)mover.run_once();
        round = page.begins_a_round ? clock.now() : round;
    }
}

TEST_F(TimerMoverTest, A_round_goes_on_when_the_pages_begin_at_the_oldest_again) {
    EXPECT_CALL(store, next_due()).WillRepeatedly(Return(clock.now()));
    const schema::TimePoint begin = clock.now();
    std::vector<DueWindow> windows;
    EXPECT_CALL(store, move_due_timers(_, 100, _, _))
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
        EXPECT_EQ(
            windows.back().turns_made_before, page == 0 ? std::nullopt : std::optional(begin + 1ms)
        );
    }
    EXPECT_GE(from_the_oldest, 3);
}

TEST_F(TimerMoverTest, What_arrives_free_wakes_the_acquisition) {
    intake.free_places = 0;
    int wakes = 0;
    wake_ups.sleepers.acquisition = [&] { ++wakes; };
    EXPECT_CALL(store, next_due()).WillOnce(Return(clock.now()));
    EXPECT_CALL(store, move_due_timers(_, _, testing::Eq(std::nullopt), _))
        .WillOnce(Return(DueTimers{.moved = 3, .locked = {}}));
    EXPECT_EQ(mover.run_once(), 0ms);
    EXPECT_EQ(wakes, 1);
}

TEST_F(TimerMoverTest, It_does_not_spin_on_due_timers_that_another_node_is_moving) {
    EXPECT_CALL(store, next_due()).WillOnce(Return(clock.now()));
    EXPECT_CALL(store, move_due_timers(_, _, _, _)).WillOnce(Return(DueTimers{}));
    EXPECT_GT(mover.run_once(), 0ms);
}

// R118
TEST_F(TimerMoverTest, With_a_due_timer_go_those_within_the_fire_ahead_window) {
    TimerMover early{{store, intake, clock, wake_ups}, {.fire_ahead = 50ms}};
    EXPECT_CALL(store, next_due()).WillOnce(Return(clock.now() + 20ms));
    EXPECT_EQ(early.run_once(), 20ms);
    EXPECT_CALL(store, next_due()).WillOnce(Return(clock.now()));
    EXPECT_CALL(store, move_due_timers(DueWindow(clock.now(), 50ms), _, _, _))
        .WillOnce(Return(DueTimers{.moved = 1, .locked = {}}));
    EXPECT_EQ(early.run_once(), 0ms);
}

}  // namespace
}  // namespace jobstrand::timers
