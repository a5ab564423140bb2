#include "executor/report/outcome_report.hpp"
#include "schema/clock.hpp"
#include "test/fixtures/job_builder.hpp"
#include "test/fixtures/recording_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace jobstrand::executor {
namespace {

using namespace std::chrono_literals;
using persistence::Outcome;
using schema::Job;
using schema::LogLevel;
using test::a_job;
using testing::HasSubstr;
using testing::IsEmpty;

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

}  // namespace
}  // namespace jobstrand::executor
