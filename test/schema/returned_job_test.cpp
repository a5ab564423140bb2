#include "schema/job_transition.hpp"
#include "schema/limits.hpp"
#include "test/fixtures/job_builder.hpp"

#include <gtest/gtest.h>

namespace jobstrand::schema {
namespace {

using test::a_job;

constexpr TimePoint kWasDue = std::chrono::sys_days{std::chrono::year{2026} / 11 / 20};

// I7
TEST(ReturnedJobTransition, A_job_whose_node_lacks_something_stays_and_says_what_it_needs) {
    const Transition transition =
        not_served(a_job("a").with_retries(2).after_attempts(1).due_at(kWasDue), "[commands.a]");
    EXPECT_EQ(transition.to, JobPlace::executable);
    EXPECT_EQ(transition.reason, TransitionReason::not_served);
    EXPECT_EQ(transition.needs, "[commands.a]");
    EXPECT_EQ(transition.retries, 2);
    EXPECT_EQ(transition.attempts, 1);
    EXPECT_EQ(transition.due_date, kWasDue);
    EXPECT_EQ(transition.failure, std::nullopt);
}

// I5
TEST(
    ReturnedJobTransition,
    A_job_that_ends_its_processes_is_a_dead_letter_without_an_attempt_more
) {
    Job job = a_job("a").with_retries(2).after_attempts(1).due_at(kWasDue);
    job.lost_starts = 7;
    const Transition transition = crash_loop(job, kWasDue);
    EXPECT_EQ(transition.to, JobPlace::dead_letter);
    EXPECT_EQ(transition.reason, TransitionReason::crash_loop);
    EXPECT_EQ(transition.retries, 0);
    EXPECT_EQ(transition.attempts, 1);
    EXPECT_EQ(transition.due_date, kWasDue);
    EXPECT_EQ(transition.failed_time, kWasDue);
    ASSERT_TRUE(transition.failure);
    EXPECT_FALSE(transition.failure->retryable);
    EXPECT_EQ(
        transition.failure->message,
        "the process that held it ended 7 times in a row without an outcome, the last time while "
        "it "
        "ran and no other suspected job did: it is not started again"
    );
}

TEST(CancelledJobTransition, A_cancelled_job_is_a_dead_letter_without_a_failed_attempt) {
    const Job job = a_job("a").after_attempts(1);
    const Transition transition = cancelled(job, std::string(5000, 'x'), kWasDue);
    EXPECT_EQ(transition.to, JobPlace::dead_letter);
    EXPECT_EQ(transition.reason, TransitionReason::cancelled);
    EXPECT_EQ(transition.attempts, 1);
    EXPECT_EQ(transition.failed_time, kWasDue);
    EXPECT_EQ(transition.failure->message.size(), limits::kExceptionMessageLength);
}

// R063
TEST(
    GivenUpJobTransition,
    A_job_without_retries_is_a_dead_letter_that_keeps_what_its_failure_said
) {
    Job failed = a_job("a").after_attempts(2);
    failed.exception_message = "no paper";
    const Transition transition = given_up(failed, kWasDue);
    EXPECT_EQ(transition.to, JobPlace::dead_letter);
    EXPECT_EQ(transition.reason, TransitionReason::given_up);
    EXPECT_EQ(transition.retries, 0);
    EXPECT_EQ(transition.attempts, 2);
    EXPECT_EQ(transition.failed_time, kWasDue);
    EXPECT_FALSE(transition.failure);
    const Transition never_failed = given_up(a_job("b"), kWasDue);
    ASSERT_TRUE(never_failed.failure);
    EXPECT_EQ(never_failed.failure->message, "its retries were set to 0");
}

}  // namespace
}  // namespace jobstrand::schema
