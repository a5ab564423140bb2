#include "executor/held_locks.hpp"
#include "persistence/sql/db_error.hpp"
#include "schema/clock.hpp"
#include "test/fixtures/job_builder.hpp"
#include "test/fixtures/mock_executor_store.hpp"
#include "test/fixtures/recording_log.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

namespace jobstrand::executor {
namespace {

using namespace std::chrono_literals;
using persistence::DbError;
using persistence::DbErrorKind;
using persistence::Fence;
using test::a_job;
using testing::_;
using testing::ElementsAre;
using testing::Field;
using testing::InSequence;
using testing::Throw;

/// Jobs that this node holds and does not start after all.
class HeldReleaseTest : public testing::Test {
protected:
    HeldReleaseTest() {
        release.when_left([this] { ++wakes; });
    }

    std::vector<HeldJobPtr> hold(std::vector<schema::Job> jobs) {
        return held.add(std::move(jobs), clock.steady_now() + 30s);
    }

    auto& expect_release(const std::string& first) {
        return EXPECT_CALL(store, release("node-1", ElementsAre(Field(&Fence::id, first))));
    }

    testing::StrictMock<test::MockExecutorStore> store;
    schema::ManualClock clock;
    test::RecordingLog log;
    WakeUps wake_ups;
    HeldJobs held;
    GroupOrder order{clock, schema::ExclusiveOver::instance, 30s};
    int wakes = 0;
    HeldRelease release{{store, held, order, wake_ups, clock, log}, "node-1", false};
};

TEST_F(HeldReleaseTest, They_are_held_no_more_when_they_are_free) {
    expect_release("a");
    release.free(hold({a_job("a")}));
    EXPECT_EQ(held.size(), 0);
    EXPECT_EQ(wakes, 0);
    EXPECT_EQ(release.run_once(), kUntilWoken);
}

// They would wait for the end of their locks: a failover took 21 s instead of one.
TEST_F(HeldReleaseTest, In_an_outage_they_stay_held_and_are_freed_when_it_is_over) {
    const InSequence in_order;
    expect_release("a").Times(2).WillRepeatedly(Throw(DbError(DbErrorKind::unreachable, "gone")));
    expect_release("a");
    release.free(hold({a_job("a")}));
    EXPECT_EQ(wakes, 1);
    EXPECT_THROW((void)release.run_once(), DbError);
    EXPECT_EQ(held.expiring_before(clock.steady_now() + 31s).size(), 1)
        << "their locks are renewed";
    EXPECT_EQ(release.run_once(), 0s);
    EXPECT_EQ(held.size(), 0);
    EXPECT_EQ(release.run_once(), kUntilWoken);
}

TEST_F(HeldReleaseTest, What_is_left_meanwhile_is_freed_too) {
    const InSequence in_order;
    expect_release("a").WillOnce(Throw(DbError(DbErrorKind::unreachable, "gone")));
    expect_release("b").WillOnce(Throw(DbError(DbErrorKind::unreachable, "gone")));
    EXPECT_CALL(
        store, release("node-1", ElementsAre(Field(&Fence::id, "a"), Field(&Fence::id, "b")))
    );
    release.free(hold({a_job("a")}));
    release.free(hold({a_job("b")}));
    EXPECT_EQ(release.run_once(), 0s);
    EXPECT_EQ(held.size(), 0);
}

}  // namespace
}  // namespace jobstrand::executor
