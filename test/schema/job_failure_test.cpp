#include "schema/job_failure.hpp"

#include "schema/histogram.hpp"
#include "schema/limits.hpp"
#include "schema/text/utf8.hpp"
#include "schema/throughput.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace jobstrand::schema {

namespace {

using testing::ElementsAre;
using testing::Pair;
using namespace std::chrono_literals;
using namespace std::string_literals;

std::string cut_message(std::string message) {
    return cut_to_limits({std::move(message), "", true, std::nullopt}).message;
}

std::string cut_details(std::string details) {
    return cut_to_limits({"", std::move(details), true, std::nullopt}).details;
}

TEST(JobFailure, What_fits_stays_as_it_is) {
    const JobFailure failure{"it broke: ä", "at line 1\nat line 2", false, 5s};
    EXPECT_EQ(cut_to_limits(failure), failure);
}

TEST(JobFailure, A_message_keeps_its_beginning) {
    const std::string longest(limits::kExceptionMessageLength, 'm');
    EXPECT_EQ(cut_message(longest + "more"), longest);
}

TEST(JobFailure, A_message_is_cut_between_characters) {
    std::string euros;
    for (std::size_t i = 0; i < limits::kExceptionMessageLength + 1; ++i) {
        euros += "€";
    }
    EXPECT_EQ(count_characters(cut_message(euros)), limits::kExceptionMessageLength);
}

TEST(JobFailure, Details_keep_their_end) {
    const std::string longest(limits::kExceptionDetailsBytes, 'd');
    EXPECT_EQ(cut_details("before" + longest), longest);
}

TEST(JobFailure, Details_are_cut_between_characters) {
    const std::string longest(limits::kExceptionDetailsBytes - 1, 'd');
    EXPECT_EQ(cut_details("€" + longest), longest);
}

TEST(JobFailure, What_a_database_cannot_store_is_replaced) {
    EXPECT_EQ(cut_message("a\0b\xFF"s), "a\uFFFDb\uFFFD");
    EXPECT_EQ(cut_details("c\0d\xFF"s), "c\uFFFDd\uFFFD");
}

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

TEST(FailureClasses, Count_failures_by_what_their_messages_begin_with) {
    FailureClasses classes;
    classes.add("java.io.IOException: disk full");
    classes.add("java.io.IOException: no such file");
    classes.add("HTTP 503: try later");
    classes.add("order 17 was refused");
    classes.add("");
    EXPECT_THAT(
        classes.counts(),
        ElementsAre(Pair("HTTP 503", 1), Pair("java.io.IOException", 2), Pair("none", 2))
    );
}

TEST(FailureClasses, Tell_no_more_apart_than_somebody_may_want_to_see) {
    FailureClasses classes;
    for (std::size_t i = 0; i < 2 * FailureClasses::kMost; ++i) {
        classes.add("E" + std::to_string(i) + ": no");
    }
    classes.add("E0: no");
    classes.add("nothing like a class");
    const auto counts = classes.counts();
    EXPECT_EQ(counts.size(), FailureClasses::kMost + 2);
    EXPECT_EQ(counts.at("E0"), 2);
    EXPECT_EQ(counts.at("other"), FailureClasses::kMost);
    EXPECT_EQ(counts.at("none"), 1);
}

TEST(SizeHistogram, Sizes_fall_into_the_bucket_that_includes_them) {
    SizeHistogram sizes;
    for (const std::uint64_t size : {1U, 2U, 1000U, 1001U}) {
        sizes.add(size);
    }
    EXPECT_EQ(sizes.count(0), 1);
    EXPECT_EQ(sizes.count(1), 1);
    EXPECT_EQ(sizes.count(SizeHistogram::kBounds.size() - 1), 1);
    EXPECT_EQ(sizes.count(SizeHistogram::kBounds.size()), 1) << "beyond all bounds";
    EXPECT_EQ(sizes.sum(), 2004);
}

[[nodiscard]] TimeHistogram histogram_of(std::initializer_list<Duration> times) {
    TimeHistogram histogram;
    for (const Duration time : times) {
        histogram.add(time);
    }
    return histogram;
}

TEST(TimeHistogram, A_bucket_is_at_most_a_quarter_wide) {
    for (std::int64_t ms = 0; ms < 5'000'000; ms += 1 + ms / 7) {
        const TimeHistogram one = histogram_of({Duration(ms)});
        const double begin = one.percentile(0).value() * 1000;
        const double end = one.percentile(1).value() * 1000;
        ASSERT_LE(begin, static_cast<double>(ms));
        ASSERT_GT(end, static_cast<double>(ms));
        ASSERT_LE(end - begin, std::max(1.0, static_cast<double>(ms) / 4));
    }
}

TEST(TimeHistogram, Whatever_a_time_is_it_has_a_bucket) {
    EXPECT_EQ(TimeHistogram::bucket_of(-1ms), 0U);
    EXPECT_EQ(TimeHistogram::bucket_of(Duration::max()), TimeHistogram::kBuckets - 1);
    TimeHistogram histogram;
    histogram.add_to(TimeHistogram::kBuckets, 1);
    EXPECT_EQ(histogram, TimeHistogram()) << "a bucket that there is not";
}

TEST(TimeHistogram, Percentiles_are_those_of_all_that_were_added_together) {
    TimeHistogram histogram;
    EXPECT_EQ(histogram.percentile(0.5), std::nullopt);
    for (int i = 1; i <= 900; ++i) {
        histogram.add(10ms);
    }
    TimeHistogram of_another_node;
    for (int i = 1; i <= 100; ++i) {
        of_another_node.add(3s);
    }
    histogram.merge(of_another_node);
    EXPECT_NEAR(histogram.percentile(0.5).value(), 0.011, 0.002);
    EXPECT_NEAR(histogram.percentile(0.95).value(), 3.3, 0.5);
    EXPECT_NEAR(histogram.percentile(0.99).value(), 3.5, 0.5);
}

TEST(Throughput, What_was_written_is_read_as_it_was) {
    Throughput throughput;
    throughput.of("mail; to: ørder, 7") = {
        .begun = 3,
        .completed = 2,
        .failed = 1,
        .dead = 1,
        .waited = histogram_of({0ms, 90s, 90s}),
        .ran = histogram_of({5ms})};
    throughput.of("noop").begun = 3'000'000'000;
    EXPECT_EQ(
        text_of(throughput),
        "throughput 1\n3 2 1 1;0:1,61:2;5:1;mail; to: ørder, 7\n3000000000 0 0 0;;;noop\n"
    );
    EXPECT_EQ(parse_throughput(text_of(throughput)).value().types(), throughput.types());
}

TEST(Throughput, What_another_version_has_written_is_left_out) {
    EXPECT_EQ(parse_throughput("throughput 2\n1 1 0 0;;;mail\n"), std::nullopt);
    EXPECT_EQ(parse_throughput(""), std::nullopt);
    const auto read = parse_throughput(
        "throughput 1\n"
        "1 1 0 0;;;mail\n"
        "1 1 0;;;three\n"
        "1 1 0 0 7;;;five\n"
        "1 1 0 -1;;;negative\n"
        "1 1 0 0;x;;text\n"
        "1 1 0 0;0:1\n"
        "\n"
        "2 0 0 0;999:1;0:1;noop\n"
        "2 0 0 0;;;cut"
    );
    ASSERT_TRUE(read);
    RunSums noop{.begun = 2, .ran = histogram_of({0ms})};
    EXPECT_THAT(
        read->types(),
        ElementsAre(Pair("mail", RunSums{.begun = 1, .completed = 1}), Pair("noop", noop))
    );
}

TEST(Throughput, Behind_a_hundred_types_the_others_count_as_one) {
    Throughput throughput;
    for (int i = 0; i < 150; ++i) {
        ++throughput.of("type-" + std::to_string(i)).begun;
    }
    ++throughput.of("type-7").begun;
    ++throughput.of("in\ntwo lines").begun;
    EXPECT_EQ(throughput.types().size(), Throughput::kMostTypes + 1);
    EXPECT_EQ(throughput.types().find("type-7")->second.begun, 2);
    EXPECT_EQ(throughput.types().find("")->second.begun, 51);
}

}  // namespace

}  // namespace jobstrand::schema
