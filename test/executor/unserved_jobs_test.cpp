#include "executor/node_presence.hpp"
#include "executor/served_here.hpp"
#include "schema/clock.hpp"
#include "test/fixtures/mock_served_store.hpp"
#include "test/fixtures/recording_log.hpp"

#include <gtest/gtest.h>

namespace jobstrand::executor {
namespace {

using namespace std::chrono_literals;
using Waiting = std::vector<persistence::UnservedJobs>;
using testing::_;
using testing::NiceMock;
using testing::Return;

class UnservedJobsTest : public testing::Test {
protected:
    UnservedJobsTest() { lease.hold_until(clock.steady_now() + 24h); }

    /// What the store says from now on that nobody serves.
    void nobody_serves(Waiting jobs) {
        ON_CALL(store, unserved(_, _)).WillByDefault(Return(std::move(jobs)));
    }

    std::ptrdiff_t lines() const { return log.count(schema::LogLevel::warn, "nobody here serves"); }

    NiceMock<test::MockServedStore> store;
    schema::ManualClock clock;
    test::RecordingLog log;
    NodeLease lease;
    UnservedJobs unserved{store, clock, log, nullptr, nullptr, [this] {
                              return lease.sees_others(clock.steady_now());
                          }};
};

TEST_F(UnservedJobsTest, Says_once_an_hour_what_nobody_serves_for_each_kind) {
    nobody_serves(
        {{.kind = {.handler_type = "command", .needs = "[commands.x]"}, .jobs = 1000},
         {.kind = {.handler_type = "emial"}, .jobs = 2}}
    );
    (void)unserved.run_once();
    ASSERT_EQ(lines(), 2);
    EXPECT_EQ(
        log.lines()[0].fields,
        "handler_type=command needs=[commands.x] jobs=1000 category= tenant= definition= "
    );
    clock.tick(59min);
    (void)unserved.run_once();
    EXPECT_EQ(lines(), 2);
    clock.tick(1min);
    (void)unserved.run_once();
    EXPECT_EQ(lines(), 4);
}

// It reads past everything that the database keeps of deleted rows.
TEST_F(UnservedJobsTest, Looks_for_a_twentieth_of_the_time_at_most) {
    EXPECT_CALL(store, unserved(_, _)).WillOnce([&](auto, auto) {
        clock.tick(1s);
        return Waiting{};
    });
    EXPECT_EQ(unserved.run_once(), 20s);
    EXPECT_EQ(unserved.run_once(), 20s) << "it was woken, and that was no use";
    clock.tick(19s);
    EXPECT_CALL(store, unserved(_, _)).WillOnce(Return(Waiting{}));
    EXPECT_EQ(unserved.run_once(), 10s);
}

TEST_F(UnservedJobsTest, Says_a_new_kind_at_once) {
    nobody_serves({{.kind = {.handler_type = "a"}, .jobs = 1}});
    (void)unserved.run_once();
    nobody_serves(
        {{.kind = {.handler_type = "a"}, .jobs = 5}, {.kind = {.handler_type = "b"}, .jobs = 1}}
    );
    (void)unserved.run_once();
    EXPECT_EQ(lines(), 2);
    EXPECT_EQ(
        log.lines().back().fields, "handler_type=b needs= jobs=1 category= tenant= definition= "
    );
}

TEST_F(UnservedJobsTest, Says_nothing_while_the_leases_of_those_who_live_may_be_over) {
    nobody_serves({{.kind = {.handler_type = "mine"}, .jobs = 1}});
    lease.hold_until(clock.steady_now());
    EXPECT_CALL(store, unserved(_, _)).Times(0);
    EXPECT_EQ(unserved.run_once(), 10s) << "its own is over, so it sees nobody who serves them";
    lease.see_others_from(clock.steady_now() + 9s);
    lease.hold_until(clock.steady_now() + 1h);
    (void)unserved.run_once();
    testing::Mock::VerifyAndClearExpectations(&store);
    nobody_serves({{.kind = {.handler_type = "gone"}, .jobs = 1}});
    clock.tick(9s);
    (void)unserved.run_once();
    EXPECT_EQ(lines(), 1);
}

TEST_F(UnservedJobsTest, Says_nothing_while_everything_is_served) {
    (void)unserved.run_once();
    EXPECT_EQ(lines(), 0);
}

}  // namespace
}  // namespace jobstrand::executor
