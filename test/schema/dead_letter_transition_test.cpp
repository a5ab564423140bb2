#include "schema/job_transition.hpp"
#include "schema/limits.hpp"
#include "test/fixtures/job_builder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace jobstrand::schema {
namespace {

using test::a_job;

constexpr TimePoint kItsDueDate{Duration(1'767'225'600'000)};
constexpr TimePoint kTimeOfDeath = kItsDueDate + std::chrono::hours(1);

TEST(BurialTransition, A_job_whose_id_is_taken_keeps_what_it_had_to_say) {
    const Transition silent = id_taken(a_job("a"), JobPlace::timer, kTimeOfDeath);
    EXPECT_EQ(silent.to, JobPlace::dead_letter);
    EXPECT_EQ(silent.failure->message, "another job with this id stands in ACT_RU_TIMER_JOB");
    Job failed_before = a_job("a");
    failed_before.exception_message = std::string(limits::kExceptionMessageLength, 'x');
    const Transition cut = id_taken(failed_before, JobPlace::executable, kTimeOfDeath);
    EXPECT_THAT(
        cut.failure->message,
        testing::StartsWith("another job with this id stands in ACT_RU_JOB; xxx")
    );
    EXPECT_EQ(cut.failure->message.size(), limits::kExceptionMessageLength);
}

TEST(BurialTransition, A_job_whose_row_cannot_be_read_dies_with_all_that_it_has) {
    Job job = a_job("a").with_retries(4).after_attempts(1).due_at(kItsDueDate);
    job.repeat = "R/PT1H";
    job.exception_message = "RETRIES_ \"many\" is not an integer";
    const Transition transition = unreadable(job, kTimeOfDeath);
    EXPECT_EQ(transition.to, JobPlace::dead_letter);
    EXPECT_EQ(transition.reason, TransitionReason::unreadable);
    EXPECT_EQ(transition.due_date, kItsDueDate);
    EXPECT_EQ(transition.failed_time, kTimeOfDeath);
    EXPECT_EQ(transition.attempts, 1);
    EXPECT_EQ(transition.failure, std::nullopt);
}

TEST(BurialTransition, Only_the_last_failure_has_a_time_of_death) {
    const JobFailure failure{.message = "no"};
    const auto fails = [&](const Job& job) { return failed(job, failure, {}, kTimeOfDeath); };
    EXPECT_EQ(fails(a_job("a").with_retries(2)).failed_time, std::nullopt);
    EXPECT_EQ(fails(a_job("a").with_retries(1)).failed_time, kTimeOfDeath);
}

}  // namespace
}  // namespace jobstrand::schema
