#include "executor/cleaning.hpp"
#include "executor/expired_lock_reset.hpp"
#include "executor/job_acquirer.hpp"
#include "executor/job_passing.hpp"
#include "executor/loop/shared_looks.hpp"
#include "executor/served_here.hpp"
#include "schema/clock.hpp"
#include "test/fixtures/mock_executor_store.hpp"
#include "test/fixtures/mock_served_store.hpp"
#include "test/fixtures/recording_intake.hpp"
#include "test/fixtures/recording_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace jobstrand::executor {
namespace {

using namespace std::chrono_literals;
using persistence::IdleView;
using testing::_;
using testing::ElementsAre;
using testing::NiceMock;
using testing::Return;

class LastViewTest : public testing::Test {
protected:
    LastViewTest() {
        wake_ups.sleepers.timer_mover = [this](schema::TimePoint due) { told.push_back(due); };
    }

    void see(IdleView seen) {
        seen.at = clock.now();
        view.saw(seen, clock.steady_now());
    }

    [[nodiscard]] bool is_none(LastView::Rows rows) const {
        return view.none_of(rows, clock.steady_now()).has_value();
    }

    [[nodiscard]] bool do_leases_last(schema::Duration time) const {
        return view.do_leases_last(clock.now() + time, clock.steady_now());
    }

    schema::ManualClock clock;
    WakeUps wake_ups;
    std::vector<schema::TimePoint> told;
    LastView view{wake_ups};
};

TEST_F(LastViewTest, What_was_not_there_counts_for_a_while) {
    EXPECT_FALSE(is_none(&IdleView::has_limits)) << "nobody has looked yet";
    see({.has_locks = true});
    EXPECT_TRUE(is_none(&IdleView::has_limits));
    EXPECT_FALSE(is_none(&IdleView::has_locks)) << "somebody has to look at them";
    clock.tick(LastView::kHolds);
    EXPECT_TRUE(is_none(&IdleView::has_limits));
    clock.tick(1ms);
    EXPECT_FALSE(is_none(&IdleView::has_limits));
    EXPECT_FALSE(view.is_recent(clock.steady_now()));
}

TEST_F(LastViewTest, The_next_timer_is_the_one_that_was_seen_after_the_news) {
    const schema::SteadyPoint news = clock.steady_now();
    const schema::TimePoint due = clock.now() + 1h;
    see({.next_due = due});
    EXPECT_FALSE(view.next_due(news, clock.steady_now())) << "it may not have been there yet";
    clock.tick(1ms);
    see({.next_due = due});
    const auto seen = view.next_due(news, clock.steady_now());
    ASSERT_TRUE(seen);
    EXPECT_EQ(seen->due, due);
    EXPECT_EQ(seen->at, clock.now());
    see({.next_due = due, .are_timers_sound = false});
    EXPECT_FALSE(view.next_due(news, clock.steady_now())) << "who moves timers sees to it";
}

TEST_F(LastViewTest, Of_a_timer_that_is_soon_due_its_mover_is_told) {
    see({.next_due = clock.now() + 1h});
    see({});
    EXPECT_TRUE(told.empty());
    see({.next_due = clock.now() + 1s});
    EXPECT_THAT(told, ElementsAre(clock.now() + 1s));
}

TEST_F(LastViewTest, A_lease_that_may_end_has_to_be_looked_at) {
    EXPECT_FALSE(do_leases_last(0ms));
    see({});
    EXPECT_FALSE(do_leases_last(0ms)) << "no lease is known";
    see({.first_lease_end = clock.now() + 6s});
    EXPECT_TRUE(do_leases_last(6s));
    EXPECT_FALSE(do_leases_last(6s + 1ms));
}

/// The activities of a node that has nothing to do, on a store that answers nothing else.
class IdleNodeTest : public LastViewTest {
protected:
    IdleNodeTest() { intake.free_places = 10; }

    testing::StrictMock<test::MockExecutorStore> store;
    testing::StrictMock<test::MockServedStore> served;
    test::RecordingIntake intake;
    test::RecordingLog log;
};

TEST_F(IdleNodeTest, An_idle_acquisition_looks_around) {
    JobAcquirer acquirer(store, intake, clock, wake_ups, {}, &view);
    EXPECT_CALL(store, acquire(_, _, _, _)).WillOnce(Return(std::vector<schema::Job>{}));
    (void)acquirer.run_once();
    EXPECT_FALSE(view.is_recent(clock.steady_now())) << "it was not idle yet";
    EXPECT_CALL(store, look_around(_, clock.now())).WillOnce(Return(IdleView{}));
    (void)acquirer.run_once();
    EXPECT_TRUE(is_none(&IdleView::has_limits));
    EXPECT_CALL(store, has_acquirable(_, _, _)).WillOnce(Return(false));
    (void)acquirer.run_once();
}

TEST_F(IdleNodeTest, An_acquisition_that_sees_a_job_takes_it) {
    JobAcquirer acquirer(store, intake, clock, wake_ups, {}, &view);
    EXPECT_CALL(store, acquire(_, _, _, _))
        .Times(2)
        .WillRepeatedly(Return(std::vector<schema::Job>{}));
    (void)acquirer.run_once();
    EXPECT_CALL(store, look_around(_, _)).WillOnce(Return(IdleView{.has_acquirable = true}));
    (void)acquirer.run_once();
}

TEST_F(IdleNodeTest, Where_nothing_is_nobody_looks) {
    see({});
    clock.tick(1s);
    EXPECT_CALL(store, back_since()).WillRepeatedly(Return(std::nullopt));
    ExpiredLockReset reset({store, clock, wake_ups, log, &view}, {.interval = 10s});
    EXPECT_EQ(reset.run_once(), 9s) << "as if it had looked then";
    Leftovers leftovers(store, clock, 10s, &view);
    EXPECT_EQ(leftovers.run_once(), 10s);
    UnservedJobs unserved(served, clock, log, &view);
    EXPECT_EQ(unserved.run_once(), 10s);
}

TEST_F(IdleNodeTest, Where_something_is_it_is_looked_at) {
    see({.has_executable = true, .has_leftovers = true});
    EXPECT_CALL(store, back_since()).WillRepeatedly(Return(std::nullopt));
    EXPECT_CALL(store, reset_expired_locks(_, _)).Times(3);
    EXPECT_CALL(store, reset_expired_groups(_)).Times(1);
    ExpiredLockReset reset({store, clock, wake_ups, log, &view}, {.interval = 10s});
    EXPECT_EQ(reset.run_once(), 10s);
    EXPECT_CALL(store, remove_expired_keys(_)).Times(1);
    EXPECT_CALL(store, forget_idle_groups(_, _)).Times(1);
    Leftovers leftovers(store, clock, 10s, &view);
    EXPECT_EQ(leftovers.run_once(), 10s);
    EXPECT_CALL(served, unserved(_, _)).Times(1);
    UnservedJobs unserved(served, clock, log, &view);
    EXPECT_EQ(unserved.run_once(), 10s);
}

TEST_F(IdleNodeTest, Limits_are_known_as_soon_as_if_they_were_read_each_time) {
    LimitPassing passing({store, intake, clock, &view}, 3s);
    see({});
    clock.tick(1s);
    EXPECT_EQ(passing.run_once(), 2s);
    clock.tick(2s);
    EXPECT_CALL(store, refresh_limits()).WillOnce(Return(true));
    EXPECT_CALL(store, acquire_limited(_, _, _, _)).Times(2);
    EXPECT_EQ(passing.run_once(), 1s);
    see({});
    clock.tick(1s);
    EXPECT_EQ(passing.run_once(), 1s) << "those that it knows may have been removed";
}

}  // namespace
}  // namespace jobstrand::executor
