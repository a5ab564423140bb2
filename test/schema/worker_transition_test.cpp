#include "schema/job_transition.hpp"
#include "schema/series_transition.hpp"
#include "test/fixtures/job_builder.hpp"

#include <gtest/gtest.h>

namespace jobstrand::schema {
namespace {

using namespace std::chrono_literals;
using test::a_job;

constexpr TimePoint kFailedAt(Duration(1'800'000'000'000));
constexpr TimePoint kDueBefore = kFailedAt - 1h;

TEST(WorkerTransition, Whoever_says_how_many_attempts_are_left_is_believed) {
    JobFailure failure{.message = "m"};
    for (const auto* cycle : {"", "R5/PT5M"}) {
        const Job job = a_job("a").with_retry_cycle(cycle);
        failure.retries_left = 9;
        EXPECT_EQ(failed(job, failure, {}, kFailedAt).retries, 9) << cycle;
        EXPECT_EQ(failed(job, failure, {}, kFailedAt).to, JobPlace::timer) << cycle;
        failure.retries_left = 0;
        EXPECT_EQ(failed(job, failure, {}, kFailedAt).to, JobPlace::dead_letter) << cycle;
    }
}

TEST(WorkerTransition, What_a_worker_hands_on_goes_to_the_app_with_retries_of_its_own) {
    Job job = a_job("a").of_kind(kExternalWorkerType).after_attempts(2).due_at(kDueBefore);
    job.exception_message = "earlier";
    const Transition transition = handed_on(job, "{}", 5);
    EXPECT_EQ(transition.to, JobPlace::executable);
    EXPECT_EQ(transition.outcome, "{}");
    EXPECT_EQ(transition.retries, 5);
    EXPECT_EQ(transition.attempts, 0);
    EXPECT_EQ(transition.due_date, std::nullopt);
    EXPECT_EQ(transition.failure, JobFailure{});
}

TEST(WorkerTransition, To_its_series_a_turn_that_is_handed_on_has_completed) {
    Job turn = a_job("a").of_kind(kExternalWorkerType);
    turn.repeat = "R/PT1H";
    turn.series = "s";
    Series running{.key = "s"};
    running.state = SeriesState::running;
    running.next_fire = kFailedAt + 1h;
    running.turn_id = "a";
    EXPECT_TRUE(concerns_series(turn, TransitionReason::handed_on));
    const auto result =
        series_transition(&running, turn, handed_on(turn, "{}", 3), std::nullopt, kFailedAt);
    ASSERT_TRUE(result.next_turn);
    EXPECT_EQ(result.next_turn->due_date, kFailedAt + 1h);
    EXPECT_EQ(result.next_turn->type, kExternalWorkerType);
    EXPECT_FALSE(result.still_carries);
}

}  // namespace
}  // namespace jobstrand::schema
