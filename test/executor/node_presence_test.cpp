#include "executor/report/node_presence.hpp"

#include "test/fixtures/manual_clock.hpp"
#include "test/fixtures/mock_served_store.hpp"
#include "test/fixtures/recording_intake.hpp"
#include "test/fixtures/recording_log.hpp"

#include <gtest/gtest.h>

namespace jobstrand::executor {
namespace {

using namespace std::chrono_literals;
using persistence::UnservedJobs;
using testing::_;
using testing::ElementsAre;
using testing::Field;
using testing::NiceMock;
using testing::Return;

class NodePresenceTest : public testing::Test {
protected:
    /// What the store says from now on that nobody serves.
    void nobody_serves(std::vector<UnservedJobs> jobs) {
        ON_CALL(store, unserved(_, _)).WillByDefault(Return(std::move(jobs)));
    }

    std::ptrdiff_t lines() const { return log.count(schema::LogLevel::warn, "nobody here serves"); }

    NiceMock<test::MockServedStore> store;
    test::RecordingIntake intake;
    test::ManualClock clock;
    test::RecordingLog log;
    NodePresence presence{{store, intake, clock, log}};
};

TEST_F(NodePresenceTest, Tells_often_enough_that_the_node_lives_and_what_it_takes) {
    using persistence::ServedJobs;
    EXPECT_CALL(
        store,
        tell_served(
            std::string_view("intake"), Field(&ServedJobs::types, ElementsAre("mail")), clock.now()
        )
    );
    EXPECT_LT(presence.run_once() * 3, persistence::kNodeLife);
}

TEST_F(NodePresenceTest, Says_once_an_hour_what_nobody_serves_for_each_kind) {
    nobody_serves(
        {{.kind = {.handler_type = "command", .needs = "[commands.x]"}, .jobs = 1000},
         {.kind = {.handler_type = "emial"}, .jobs = 2}}
    );
    (void)presence.run_once();
    ASSERT_EQ(lines(), 2);
    EXPECT_EQ(log.lines()[0].fields, "handler_type=command needs=[commands.x] jobs=1000 ");
    clock.tick(59min);
    (void)presence.run_once();
    EXPECT_EQ(lines(), 2);
    clock.tick(1min);
    (void)presence.run_once();
    EXPECT_EQ(lines(), 4);
}

TEST_F(NodePresenceTest, Says_a_new_kind_at_once) {
    nobody_serves({{.kind = {.handler_type = "a"}, .jobs = 1}});
    (void)presence.run_once();
    nobody_serves(
        {{.kind = {.handler_type = "a"}, .jobs = 5}, {.kind = {.handler_type = "b"}, .jobs = 1}}
    );
    (void)presence.run_once();
    EXPECT_EQ(lines(), 2);
    EXPECT_EQ(log.lines().back().fields, "handler_type=b needs= jobs=1 ");
}

TEST_F(NodePresenceTest, Says_nothing_while_everything_is_served) {
    (void)presence.run_once();
    EXPECT_EQ(lines(), 0);
}

TEST_F(NodePresenceTest, Leaves_under_its_own_name) {
    EXPECT_CALL(store, forget_node(std::string_view("intake")));
    presence.leave();
}

}  // namespace
}  // namespace jobstrand::executor
