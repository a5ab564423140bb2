#include "executor/job_runner.hpp"
#include "executor/report/attempt_trace.hpp"
#include "executor/report/outcome_report.hpp"
#include "schema/clock.hpp"
#include "schema/text/trace_parent.hpp"
#include "test/fixtures/job_builder.hpp"
#include "test/fixtures/recording_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

namespace jobstrand::executor {

namespace {

using persistence::Outcome;
using schema::Job;
using schema::LogLevel;
using schema::parse_trace_parent;
using test::a_job;
using testing::HasSubstr;
using testing::IsEmpty;
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

    const schema::Job job_ = a_job("a");
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

schema::Job a_traced_job(const char* flags) {
    schema::Job job = a_job("a");
    job.trace_parent = std::string("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-") + flags;
    return job;
}

TEST(AttemptTrace, Each_attempt_is_a_span_of_its_own_in_the_trace_of_the_job) {
    AttemptSpans spans;
    const auto first = parse_trace_parent(spans.next(a_traced_job("01")));
    const auto second = parse_trace_parent(spans.next(a_traced_job("00")));
    ASSERT_TRUE(first && second);
    for (const auto& span : {*first, *second}) {
        EXPECT_EQ(span.trace_id, "4bf92f3577b34da6a3ce929d0e0e4736");
        EXPECT_NE(span.parent_id, "00f067aa0ba902b7");
    }
    EXPECT_NE(first->parent_id, second->parent_id);
    EXPECT_TRUE(first->is_sampled);
    EXPECT_FALSE(second->is_sampled);
}

TEST(AttemptTrace, Two_nodes_do_not_give_the_same_spans) {
    EXPECT_NE(AttemptSpans().next(a_traced_job("01")), AttemptSpans().next(a_traced_job("01")));
}

TEST(AttemptTrace, A_job_without_a_trace_may_start_one) {
    AttemptSpans spans;
    const auto span = parse_trace_parent(spans.next(a_job("a"), true));
    ASSERT_TRUE(span);
    EXPECT_TRUE(span->is_sampled);
    EXPECT_EQ(
        parse_trace_parent(spans.next(a_traced_job("00"), true))->trace_id,
        "4bf92f3577b34da6a3ce929d0e0e4736"
    );
}

TEST(AttemptTrace, A_job_without_a_trace_has_no_span) {
    AttemptSpans spans;
    EXPECT_EQ(spans.next(a_job("a")), "");
    EXPECT_EQ(trace_id_of(a_job("a")), "");
    schema::Job job = a_job("a");
    job.trace_parent = "what is none";
    EXPECT_EQ(spans.next(job), "");
    EXPECT_EQ(trace_id_of(a_traced_job("01")), "4bf92f3577b34da6a3ce929d0e0e4736");
}

class FailureLogTest : public testing::Test {
protected:
    void failed(const Job& job, schema::JobFailure failure = {.message = "no ink"}) {
        write(job, schema::failed(job, failure, {}, clock.now()));
    }

    void write(const Job& job, schema::Transition transition) {
        failures.write(Outcome{
            .job = std::make_shared<const Job>(job),
            .transition = std::move(transition),
            .duration = 1234ms});
    }

    /// How many lines there are of a level.
    [[nodiscard]] std::ptrdiff_t lines(LogLevel level) const { return log.count(level, ""); }

    schema::ManualClock clock;
    test::RecordingLog log;
    FailureLog failures{clock, log};
};

TEST_F(FailureLogTest, A_failed_attempt_is_a_warning_that_says_what_comes_next) {
    failed(a_job("a").of_type("mail").of_instance("order-17").with_retries(3));
    ASSERT_EQ(log.lines().size(), 1U);
    EXPECT_EQ(log.lines()[0].level, LogLevel::warn);
    EXPECT_EQ(log.lines()[0].message, "a job failed; it is tried again");
    EXPECT_EQ(
        log.lines()[0].fields,
        "job=a handler_type=mail instance=order-17 trace_id= attempt=1 attempts=3 reason=retry "
        "error=no ink duration_ms=1234 next_try=2026-01-01T00:00:10.000Z "
    );
}

TEST_F(FailureLogTest, A_dead_letter_is_an_error) {
    failed(a_job("a").with_retries(1).after_attempts(2));
    ASSERT_EQ(log.lines().size(), 1U);
    EXPECT_EQ(log.lines()[0].level, LogLevel::error);
    EXPECT_THAT(log.lines()[0].message, HasSubstr("dead letter"));
    EXPECT_THAT(log.lines()[0].fields, HasSubstr("attempt=3 attempts=3 reason=retries_exhausted"));
    EXPECT_THAT(log.lines()[0].fields, HasSubstr("next_try=none"));
}

TEST_F(
    FailureLogTest,
    A_failure_that_is_not_retryable_says_how_many_attempts_there_would_have_been
) {
    failed(a_job("a").with_retries(3), {.message = "no such order", .retryable = false});
    EXPECT_THAT(log.lines()[0].fields, HasSubstr("attempt=1 attempts=3 reason=not_retryable"));
}

TEST_F(FailureLogTest, A_job_that_ends_its_processes_is_said_in_words_of_its_own) {
    Job job = a_job("a");
    job.lost_starts = 3;
    write(job, schema::crash_loop(job, schema::TimePoint{}));
    EXPECT_EQ(lines(LogLevel::error), 1);
    EXPECT_THAT(log.lines()[0].message, HasSubstr("ends every process that runs it"));
    EXPECT_THAT(log.lines()[0].fields, HasSubstr("reason=crash_loop"));
    EXPECT_THAT(log.lines()[0].fields, HasSubstr("3 times"));
}

TEST_F(FailureLogTest, What_is_no_failure_is_not_said) {
    const Job job = a_job("a");
    write(job, schema::completed(job));
    write(job, schema::released(job));
    write(job, schema::not_served(job, "x"));
    write(job, schema::interrupted(job, 1s, clock.now()));
    EXPECT_THAT(log.lines(), IsEmpty());
}

TEST_F(FailureLogTest, A_long_message_is_cut) {
    failed(a_job("a"), {.message = std::string(2000, 'x')});
    EXPECT_EQ(std::ranges::count(log.lines()[0].fields, 'x'), 501) << "one is in next_try=";
}

TEST_F(FailureLogTest, A_storm_of_equal_failures_is_a_few_lines_a_second_and_a_count) {
    for (int second = 0; second < 3; ++second) {
        for (int i = 0; i < 1000; ++i) {
            failed(a_job("a"));
        }
        clock.tick(1s);
        (void)failures.write_counts();
    }
    EXPECT_EQ(lines(LogLevel::warn), 3 * (FailureLog::kLinesPerSecond + 1));
    EXPECT_THAT(log.lines().back().message, HasSubstr("more jobs failed"));
    EXPECT_EQ(log.lines().back().fields, "handler_type=noop jobs=995 ");
}

TEST_F(FailureLogTest, Dead_letters_and_other_types_are_not_drowned_by_a_storm) {
    for (int i = 0; i < 1000; ++i) {
        failed(a_job("a"));
    }
    failed(a_job("b").with_retries(1));
    failed(a_job("c").of_type("mail"));
    EXPECT_EQ(lines(LogLevel::error), 1);
    EXPECT_THAT(log.lines().back().fields, HasSubstr("job=c "));
}

TEST_F(FailureLogTest, It_tells_when_there_will_be_a_count_to_say) {
    EXPECT_EQ(failures.write_counts(), std::nullopt);
    for (int i = 0; i <= FailureLog::kLinesPerSecond; ++i) {
        failed(a_job("a"));
    }
    EXPECT_EQ(failures.write_counts(), clock.steady_now() + 1s);
    clock.tick(1s);
    EXPECT_EQ(failures.write_counts(), std::nullopt);
    EXPECT_EQ(log.lines().back().fields, "handler_type=noop jobs=1 ");
}

TEST_F(FailureLogTest, A_stop_says_every_count_at_once) {
    for (int i = 0; i < 10; ++i) {
        failed(a_job("a"));
        failed(a_job("b").with_retries(1));
    }
    log.clear();
    failures.write_all_counts();
    EXPECT_EQ(lines(LogLevel::warn), 1);
    EXPECT_EQ(lines(LogLevel::error), 1);
}

const schema::SteadyPoint kFirstLine{1h};

TEST(LineBudget, The_first_lines_of_each_second_are_written) {
    const std::pair<schema::Duration, bool> rows[]{
        {0ms, true},
        {0ms, true},
        {1ms, false},
        {999ms, false},
        {1000ms, true},
        {1500ms, true},
        {1999ms, false},
        // After a pause the second begins with its first line.
        {9500ms, true},
        {10'400ms, true},
        {10'499ms, false},
        {10'500ms, true},
    };
    LineBudget budget(2);
    for (const auto& [at, is_written] : rows) {
        EXPECT_EQ(budget.allows(kFirstLine + at), is_written) << at.count();
    }
}

TEST(LineBudget, What_was_left_out_is_counted_once_when_its_second_is_over) {
    LineBudget budget(1);
    EXPECT_EQ(budget.next_count(), std::nullopt);
    for (int i = 0; i < 4; ++i) {
        (void)budget.allows(kFirstLine);
    }
    EXPECT_EQ(budget.take_left_out(kFirstLine + 999ms), 0);
    EXPECT_EQ(budget.next_count(), kFirstLine + 1s);
    EXPECT_EQ(budget.take_left_out(kFirstLine + 1s), 3);
    EXPECT_EQ(budget.take_left_out(kFirstLine + 2s), 0);
    EXPECT_EQ(budget.next_count(), std::nullopt);
}

TEST(LineBudget, In_a_storm_that_nobody_asks_about_the_count_goes_on_through_the_seconds) {
    LineBudget budget(1);
    for (int i = 0; i < 30; ++i) {
        (void)budget.allows(kFirstLine + i * 100ms);
    }
    EXPECT_EQ(budget.take_left_out(kFirstLine + 1h), 27);
}

TEST(LineBudget, Without_lines_every_line_is_counted) {
    LineBudget budget(0);
    EXPECT_FALSE(budget.allows(kFirstLine));
    EXPECT_EQ(budget.take_left_out(kFirstLine + 1s), 1);
}

}  // namespace

}  // namespace jobstrand::executor
