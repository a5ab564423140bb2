#include "executor/job_runner.hpp"
#include "test/fixtures/job_builder.hpp"
#include "test/fixtures/recording_log.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace jobstrand::executor {
namespace {

using namespace std::chrono_literals;
using What = RetryDecision::What;

class RetryRuleTest : public testing::Test {
protected:
    [[nodiscard]] Failed ruled(const RetryRule& rule, Failed failure = {.message = "busy"}) {
        return std::get<Failed>(with_rule(rule, job_, std::move(failure), log_));
    }

    [[nodiscard]] static RetryRule saying(RetryDecision decision) {
        return [decision](const RunningJob&, int, const Failed&) { return decision; };
    }

    const schema::Job job_ = test::a_job("a");
    test::RecordingLog log_;
};

// R080
TEST_F(RetryRuleTest, Is_told_of_the_job_the_attempt_and_the_failure) {
    schema::Job third = job_;
    third.attempts = 2;
    const RetryRule rule = [](const RunningJob& job, int attempt, const Failed& failure) {
        EXPECT_EQ(job.id, "a");
        EXPECT_EQ(attempt, 3);
        EXPECT_EQ(failure.message, "busy");
        return RetryDecision{What::give_up};
    };
    const auto result = with_rule(rule, third, Failed{.message = "busy"}, log_);
    EXPECT_FALSE(std::get<Failed>(result).retryable);
}

// R080
TEST_F(RetryRuleTest, Goes_before_what_the_handler_says) {
    const Failed kept = ruled(saying({What::as_usual}), {.retryable = false, .retry_after = 3s});
    EXPECT_FALSE(kept.retryable);
    EXPECT_EQ(kept.retry_after, 3s);
    const Failed retried = ruled(saying({What::retry, 7min}), {.retryable = false});
    EXPECT_TRUE(retried.retryable);
    EXPECT_EQ(retried.retry_after, 7min);
    EXPECT_EQ(ruled(saying({What::retry}), {.retry_after = 3s}).retry_after, 3s);
    EXPECT_FALSE(ruled(saying({What::give_up})).retryable);
}

// R080
TEST_F(RetryRuleTest, Waits_have_a_bound) {
    EXPECT_EQ(ruled(saying({What::retry, schema::Duration::max()})).retry_after, kLongestRuledWait);
    EXPECT_EQ(ruled(saying({What::retry, -1h})).retry_after, 0s);
}

TEST_F(RetryRuleTest, That_throws_changes_nothing_and_is_logged) {
    const auto throwing = [](const RunningJob&, int, const Failed&) -> RetryDecision {
        throw std::runtime_error("a mistake");
    };
    EXPECT_TRUE(ruled(throwing).retryable);
    EXPECT_EQ(
        log_.count(
            schema::LogLevel::error, "the retry rule threw; the job is tried again as usual"
        ),
        1
    );
}

TEST_F(RetryRuleTest, Is_not_asked_about_what_has_not_failed) {
    const auto never = [](const RunningJob&, int, const Failed&) -> RetryDecision {
        ADD_FAILURE() << "it was asked";
        return {};
    };
    EXPECT_TRUE(std::holds_alternative<Succeeded>(with_rule(never, job_, Succeeded{}, log_)));
    EXPECT_TRUE(std::holds_alternative<Interrupted>(with_rule(never, job_, Interrupted{}, log_)));
    EXPECT_TRUE(std::holds_alternative<Failed>(with_rule({}, job_, Failed{}, log_)));
}

}  // namespace
}  // namespace jobstrand::executor
