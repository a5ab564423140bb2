#include "schema/job_failure.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace jobstrand::schema {
namespace {

using namespace std::chrono_literals;

constexpr IsoDuration exactly(Duration time) {
    return {0, 0, 0, time};
}

RetryCycle cycle(std::string_view text) {
    return parse_retry_cycle(text).value();
}

/// The waits after each failure of a job that starts with all attempts of the cycle.
std::vector<IsoDuration> waits_of(std::string_view text) {
    std::vector<IsoDuration> waits;
    for (int retries = cycle(text).attempts; retries > 1; --retries) {
        waits.push_back(wait_after_failure(cycle(text), retries));
    }
    return waits;
}

// R068
TEST(RetryPolicy, A_repeating_interval_gives_its_number_of_attempts) {
    EXPECT_EQ(cycle("R5/PT5M"), (RetryCycle{5, {exactly(5min)}}));
    EXPECT_EQ(waits_of("R5/PT5M"), std::vector(4, exactly(5min)));
}

// R070: the example of a boundary timer. R079: there is no floor of five minutes.
TEST(RetryPolicy, Intervals_may_be_short) {
    EXPECT_EQ(waits_of("R3/PT5S"), std::vector(2, exactly(5s)));
    EXPECT_EQ(waits_of("R2/PT0S"), std::vector(1, exactly(0s)));
}

// R074
TEST(RetryPolicy, A_list_of_three_waits_gives_four_attempts) {
    EXPECT_EQ(cycle("PT10M,PT17M,PT20M").attempts, 4);
    EXPECT_EQ(
        waits_of("PT10M,PT17M,PT20M"), (std::vector{exactly(10min), exactly(17min), exactly(20min)})
    );
}

// R075
TEST(RetryPolicy, The_last_failure_of_a_list_has_the_last_interval) {
    EXPECT_EQ(wait_after_failure(cycle("PT10M,PT17M,PT20M"), 1), exactly(20min));
    EXPECT_EQ(wait_after_failure(cycle("PT10M,PT17M,PT20M"), 0), exactly(20min));
}

// R077: the first interval, as Camunda's code does it.
TEST(RetryPolicy, Retries_raised_above_a_list_wait_its_first_interval_then_run_through_it) {
    const RetryCycle list = cycle("PT10M,PT17M,PT20M");
    EXPECT_EQ(wait_after_failure(list, 10), exactly(10min));
    EXPECT_EQ(wait_after_failure(list, 5), exactly(10min));
    EXPECT_EQ(wait_after_failure(list, 4), exactly(10min));
    EXPECT_EQ(wait_after_failure(list, 3), exactly(17min));
    EXPECT_EQ(wait_after_failure(list, 2), exactly(20min));
}

TEST(RetryPolicy, A_single_interval_is_a_list_of_one) {
    EXPECT_EQ(cycle("PT10M"), (RetryCycle{2, {exactly(10min)}}));
}

// As Camunda's own tests write them.
TEST(RetryPolicy, Blanks_around_the_text_and_its_commas_mean_nothing) {
    EXPECT_EQ(cycle("PT5M,PT20M, PT3M"), cycle("PT5M,PT20M,PT3M"));
    EXPECT_EQ(cycle(" PT5M ,\tPT20M\n"), cycle("PT5M,PT20M"));
    EXPECT_EQ(cycle("PT8M "), cycle("PT8M"));
    EXPECT_EQ(cycle(" R3/PT5M\n"), cycle("R3/PT5M"));
}

TEST(RetryPolicy, Blanks_inside_an_interval_or_instead_of_one_are_mistakes) {
    for (const char* text : {"", " ", "PT5M, ", " ,PT5M", "PT 5M", "PT5M PT3M", "R3 /PT5M"}) {
        EXPECT_FALSE(parse_retry_cycle(text)) << '"' << text << '"';
    }
    EXPECT_EQ(parse_retry_cycle("PT5M,  PTxM").error().position, 9U);
}

TEST(RetryPolicy, R0_and_R1_run_a_job_once) {
    EXPECT_EQ(cycle("R0/PT5M").attempts, 1);
    EXPECT_EQ(cycle("R1/PT5M").attempts, 1);
}

TEST(RetryPolicy, Intervals_may_have_calendar_parts) {
    EXPECT_EQ(cycle("R2/P1M").intervals, (std::vector{IsoDuration{0, 1, 0, 0ms}}));
}

std::string list_of(int intervals) {
    std::string text = "PT1S";
    for (int i = 1; i < intervals; ++i) {
        text += ",PT1S";
    }
    return text;
}

TEST(RetryPolicy, Mistakes_are_refused_where_they_stand) {
    struct Row {
        std::string text;
        std::size_t position;
        std::string_view message;
    };
    constexpr std::string_view kNoDuration = "expected a duration such as PT30S or P1DT12H";
    const std::vector<Row> rows{
        {"", 0, kNoDuration},
        {"soon", 0, kNoDuration},
        {"R", 1, "expected the number of attempts"},
        {"R/PT5M", 1, "expected the number of attempts"},
        {"R-1/PT5M", 1, "expected the number of attempts"},
        {"R3", 2, "expected '/' and a duration"},
        {"R3/", 3, kNoDuration},
        {"R3/PT5", 6, "expected H, M or S, each once and in this order"},
        {"R3/PT5M,PT6M", 7, "expected a number"},
        {"R100001/PT5M", 1, "at most 100000 attempts are allowed"},
        {"R99999999999999999999/PT5M", 1, "at most 100000 attempts are allowed"},
        {"PT1S,", 5, kNoDuration},
        {",PT1S", 0, kNoDuration},
        {"PT1S, PT2X", 9, "expected H, M or S, each once and in this order"},
        {"PT1S,PT2X", 8, "expected H, M or S, each once and in this order"},
        {"PT1S,R3/PT2S", 5, kNoDuration},
        {list_of(65), 64 * 5, "at most 64 intervals are allowed"},
    };
    for (const Row& row : rows) {
        const auto read = parse_retry_cycle(row.text);
        ASSERT_FALSE(read) << row.text;
        EXPECT_EQ(read.error().message, row.message) << row.text;
        EXPECT_EQ(read.error().position, row.position) << row.text;
    }
    EXPECT_EQ(cycle(list_of(64)).attempts, 65);
    EXPECT_EQ(cycle("R100000/PT5M").attempts, 100'000);
}

// R166
TEST(RetryPolicy, A_job_has_three_attempts_and_waits_ten_seconds_unless_told_otherwise) {
    const RetryPolicy policy;
    EXPECT_EQ(policy.default_attempts, 3);
    EXPECT_EQ(policy.message_wait, 10s);
    EXPECT_EQ(policy.timer_wait, 10s);
    EXPECT_FALSE(policy.cycle);
}

}  // namespace
}  // namespace jobstrand::schema
