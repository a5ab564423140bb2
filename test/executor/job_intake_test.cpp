#include "executor/loop/job_intake.hpp"

#include "schema/clock.hpp"
#include "test/fixtures/recording_intake.hpp"

#include <gtest/gtest.h>

namespace jobstrand::executor {
namespace {

using namespace std::chrono_literals;

// I4
TEST(JobIntake, No_two_claims_end_at_the_same_time) {
    test::RecordingIntake intake;
    schema::ManualClock clock;
    EXPECT_EQ(claim_for(intake, clock).until, clock.now() + 30s);
    EXPECT_EQ(claim_for(intake, clock).until, clock.now() + 30s + 1ms);
    EXPECT_EQ(claim_for(intake, clock).until, clock.now() + 30s + 2ms);
    clock.tick(1s);
    EXPECT_EQ(claim_for(intake, clock).until, clock.now() + 30s);
}

TEST(JobIntake, After_the_clock_was_set_back_claims_are_no_longer_than_usual) {
    test::RecordingIntake intake;
    schema::ManualClock clock;
    (void)claim_for(intake, clock);
    clock.set_wall(clock.now() - 1h);
    EXPECT_EQ(claim_for(intake, clock).until, clock.now() + 30s);
}

}  // namespace
}  // namespace jobstrand::executor
