#include "executor/loop/clock_comparison.hpp"

#include "executor/expired_lock_reset.hpp"
#include "executor/held_locks.hpp"
#include "schema/clock.hpp"
#include "test/fixtures/job_builder.hpp"
#include "test/fixtures/mock_executor_store.hpp"
#include "test/fixtures/recording_log.hpp"

#include <gtest/gtest.h>

namespace jobstrand::executor {
namespace {

using namespace std::chrono_literals;
using persistence::LockSearch;
using schema::LogLevel;
using testing::_;
using testing::AtLeast;
using testing::Field;
using testing::Return;

class MockClockSource : public persistence::ClockSource {
public:
    MOCK_METHOD(std::optional<schema::TimePoint>, database_now, (), (override));
};

/// A node and a database whose clock is `ahead` of the node's.
class ClockComparisonTest : public testing::Test {
protected:
    ClockComparisonTest() {
        ON_CALL(database, database_now).WillByDefault([this] { return machine.now() + ahead; });
        EXPECT_CALL(database, database_now).Times(testing::AnyNumber());
    }

    [[nodiscard]] std::ptrdiff_t warnings() const {
        return log.count(LogLevel::warn, "this machine's clock is not the database's");
    }

    schema::Duration ahead{0};
    testing::StrictMock<MockClockSource> database;
    testing::StrictMock<test::MockExecutorStore> store;
    schema::ManualClock machine;
    schema::DatabaseClock clock{machine};
    test::RecordingLog log;
    ClockComparison comparison{database, clock, log};
};

TEST_F(ClockComparisonTest, The_clock_follows_the_database_and_is_compared_again_and_again) {
    ahead = 10min;
    EXPECT_EQ(comparison.run_once(), kClockComparisonInterval);
    EXPECT_EQ(clock.now(), machine.now() + 10min);
    ahead = 11min;
    EXPECT_EQ(comparison.run_once(), kClockComparisonInterval);
    EXPECT_EQ(clock.now(), machine.now() + 11min);
}

TEST_F(ClockComparisonTest, A_database_without_a_clock_of_its_own_is_asked_once) {
    EXPECT_CALL(database, database_now).WillOnce(Return(std::nullopt));
    EXPECT_EQ(comparison.run_once(), kUntilWoken);
    EXPECT_EQ(clock.now(), machine.now());
}

TEST_F(ClockComparisonTest, A_skew_beyond_a_second_is_warned_of_once_per_change) {
    ahead = 999ms;
    (void)comparison.run_once();
    EXPECT_EQ(warnings(), 0);
    ahead = -10min;
    (void)comparison.run_once();
    (void)comparison.run_once();
    ahead = -10min - 1s;  // The time synchronization of one of the two is at work.
    (void)comparison.run_once();
    EXPECT_EQ(warnings(), 1);
    EXPECT_EQ(log.lines().back().fields, "skew_ms=600000 ");
    ahead = 0s;
    (void)comparison.run_once();
    (void)comparison.run_once();
    EXPECT_EQ(warnings(), 1);
    EXPECT_EQ(log.count(LogLevel::info, "agrees with the database's again"), 1);
}

// I3 I6
TEST_F(
    ClockComparisonTest,
    When_the_databases_clock_jumps_live_locks_are_renewed_before_any_is_freed
) {
    constexpr schema::Duration lock_time = 30s;
    constexpr schema::Duration interval = 10s;
    const WakeUps nobody;
    ExpiredLockReset reset(
        {store, clock, nobody, log}, {.interval = interval, .lock_time = lock_time}
    );
    EXPECT_CALL(store, back_since()).Times(testing::AnyNumber());
    EXPECT_CALL(store, reset_expired_locks(_, _)).Times(AtLeast(1));
    (void)comparison.run_once();
    (void)reset.run_once();
    machine.tick(interval);

    ahead = 1h;
    (void)comparison.run_once();
    // Nobody else notices later than a comparison's interval, and then renews within a lock time.
    for (schema::Duration waited = 0s; waited < kClockComparisonInterval + lock_time;
         waited += interval) {
        EXPECT_CALL(store, reset_expired_locks(_, _)).Times(0);
        EXPECT_EQ(reset.run_once(), interval);
        machine.tick(interval);
    }
    EXPECT_EQ(log.count(LogLevel::warn, "the clock has jumped forward"), 1);
    const auto at_the_new_time = Field(&LockSearch::now, machine.now() + 1h);
    EXPECT_CALL(store, reset_expired_locks(_, at_the_new_time)).Times(AtLeast(1));
    (void)reset.run_once();
}

TEST_F(ClockComparisonTest, A_renewal_after_a_jump_locks_by_the_new_time) {
    HeldJobs held;
    LockRenewal renewal({store, held, clock, log}, "node-1", 30s);
    (void)comparison.run_once();
    (void)held.add({test::a_job("a")}, clock.steady_now() + 30s);
    machine.tick(11s);
    ahead = -1h;
    (void)comparison.run_once();
    EXPECT_CALL(store, extend_locks(_, _)).WillOnce([&](const persistence::LockClaim& claim, auto) {
        EXPECT_EQ(claim.until, machine.now() - 1h + 30s);
        return std::vector<std::string>{};
    });
    (void)renewal.run_once();
}

}  // namespace
}  // namespace jobstrand::executor
