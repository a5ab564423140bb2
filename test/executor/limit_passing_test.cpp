#include "executor/job_passing.hpp"
#include "schema/clock.hpp"
#include "test/fixtures/job_builder.hpp"
#include "test/fixtures/mock_executor_store.hpp"
#include "test/fixtures/recording_intake.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace jobstrand::test {

namespace {

using namespace std::chrono_literals;

using executor::LimitedRuns;
using executor::LimitPassing;
using persistence::LimitedJobs;
using testing::_;
using testing::ElementsAre;
using testing::NiceMock;
using testing::Return;

/// A pass takes what waits for limits and now has room.
class LimitPasses : public testing::Test {
protected:
    LimitPasses() {
        intake_.free_places = 3;
        ON_CALL(store_, refresh_limits).WillByDefault(Return(true));
    }

    NiceMock<MockExecutorStore> store_;
    RecordingIntake intake_;
    schema::ManualClock clock_;
    LimitPassing passing_{{store_, intake_, clock_}, 3s};
};

TEST_F(LimitPasses, Take_what_has_room_and_look_again_at_once) {
    EXPECT_CALL(store_, acquire_limited(_, _, persistence::PageLimit(3), std::string_view()))
        .WillOnce(Return(LimitedJobs{.jobs = {a_job("a")}, .end = {}}))
        .WillOnce(Return(LimitedJobs{}));
    EXPECT_EQ(passing_.run_once(), 0s);
    EXPECT_THAT(intake_.ids(), ElementsAre("a"));
    EXPECT_EQ(passing_.run_once(), 1s);
}

TEST_F(LimitPasses, Go_through_all_groups) {
    EXPECT_CALL(store_, acquire_limited(_, _, _, std::string_view()))
        .WillOnce(Return(LimitedJobs{.jobs = {}, .end = "tenant:m"}));
    EXPECT_CALL(store_, acquire_limited(_, _, _, std::string_view("tenant:m")))
        .WillOnce(Return(LimitedJobs{}));
    EXPECT_EQ(passing_.run_once(), 0s);
    EXPECT_EQ(passing_.run_once(), 1s);
}

TEST_F(LimitPasses, Look_again_when_a_rate_lets_more_start) {
    EXPECT_CALL(store_, acquire_limited)
        .WillOnce(Return(LimitedJobs{.jobs = {}, .end = "type:a", .until_next = 150ms}))
        .WillOnce(Return(LimitedJobs{.jobs = {}, .end = {}, .until_next = 700ms}))
        .WillOnce(Return(LimitedJobs{.jobs = {}, .end = {}, .until_next = 1ms}))
        .WillOnce(Return(LimitedJobs{.jobs = {}, .end = {}, .until_next = 1h}))
        .WillOnce(Return(LimitedJobs{}));
    EXPECT_EQ(passing_.run_once(), 0s);
    EXPECT_EQ(passing_.run_once(), 150ms);
    EXPECT_EQ(passing_.run_once(), 20ms) << "and never in a circle";
    EXPECT_EQ(passing_.run_once(), 1s) << "others make room, too";
    EXPECT_EQ(passing_.run_once(), 1s);
}

TEST_F(LimitPasses, Ask_for_nothing_without_room_here) {
    intake_.free_places = 0;
    EXPECT_CALL(store_, acquire_limited).Times(0);
    EXPECT_EQ(passing_.run_once(), 1s);
}

TEST_F(LimitPasses, Read_the_limits_anew_in_their_time_and_seldom_look_without_any) {
    EXPECT_CALL(store_, refresh_limits).Times(2).WillRepeatedly(Return(false));
    EXPECT_EQ(passing_.run_once(), 3s);
    EXPECT_EQ(passing_.run_once(), 3s);
    clock_.tick(3s);
    EXPECT_EQ(passing_.run_once(), 3s);
}

bool is_mail(const schema::Job& job) {
    return job.handler_type == "mail";
}

TEST(LimitedRunsHere, Are_no_more_than_workers) {
    NiceMock<MockExecutorStore> store;
    ON_CALL(store, meets_limit).WillByDefault(is_mail);
    LimitedRuns runs(2, store);
    schema::Job mail = a_job("mail");
    mail.handler_type = "mail";
    const schema::Job other = a_job("other");
    runs.add({mail, other});
    EXPECT_EQ(runs.room(), 1U);
    const std::array<const schema::Job*, 1> others{&other};
    EXPECT_FALSE(runs.ended(others));
    const std::array<const schema::Job*, 1> mails{&mail};
    EXPECT_TRUE(runs.ended(mails));
    EXPECT_EQ(runs.room(), 2U);
    EXPECT_FALSE(runs.ended(mails)) << "it is told once";
}

}  // namespace

}  // namespace jobstrand::test
