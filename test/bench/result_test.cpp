#include "bench/core/result.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace jobstrand::bench {
namespace {

using nlohmann::json;
using testing::HasSubstr;

TEST(Figure, The_median_of_an_odd_and_of_an_even_number_of_repetitions) {
    EXPECT_EQ((Figure{"", "", {3, 1, 2}}).median(), 2);
    EXPECT_EQ((Figure{"", "", {4, 1, 2, 3}}).median(), 2.5);
    EXPECT_EQ((Figure{"", "", {}}).median(), 0);
}

TEST(Figure, The_ratio_is_the_median_against_the_ceiling) {
    EXPECT_EQ((Figure{"", "", {30, 10, 20}, 40}).ratio(), 0.5);
    EXPECT_EQ((Figure{"", "", {20}}).ratio(), std::nullopt);
}

TEST(Result, It_passed_when_no_check_has_a_problem) {
    Result result{.scenario = "drain", .started_at = "now"};
    result.checks = {{"one", ""}, {"two", ""}};
    EXPECT_TRUE(result.passed());

    result.checks.push_back({"three", "a job ran twice"});
    EXPECT_FALSE(result.passed());
}

TEST(Result, The_json_has_each_repetition_and_what_follows_from_them) {
    Result result{.scenario = "drain", .started_at = "2026-11-20T00:00:00.000Z"};
    result.figures = {{"rate", "jobs/s", {123'456.789, 100'000}, 200'000}, {"cpu", "us", {7}}};
    const json document = json::parse(to_json(result));

    EXPECT_EQ(document.at("scenario"), "drain");
    const json& rate = document.at("figures").at(0);
    EXPECT_EQ(rate.at("values"), json::parse("[123457.0, 100000.0]"));
    EXPECT_EQ(rate.at("median"), 111'728.0);
    EXPECT_EQ(rate.at("min"), 100'000.0);
    EXPECT_EQ(rate.at("max"), 123'457.0);
    EXPECT_EQ(rate.at("ceiling"), 200'000.0);
    EXPECT_NEAR(rate.at("ratio").get<double>(), 0.558642, 1e-6);
    EXPECT_TRUE(document.at("figures").at(1).at("ceiling").is_null());
}

TEST(Result, The_json_gives_latencies_in_milliseconds) {
    LatencyHistogram histogram;
    histogram.add(std::chrono::milliseconds(2));
    Result result{.scenario = "latency", .started_at = "now"};
    result.latencies = {latency("to start", histogram)};
    const json document = json::parse(to_json(result)).at("latencies").at(0);

    EXPECT_EQ(document.at("unit"), "ms");
    EXPECT_EQ(document.at("p50"), 2.0);
    EXPECT_EQ(document.at("count"), 1);
}

TEST(Result, The_table_shows_what_failed) {
    Result result{.scenario = "drain", .started_at = "now"};
    result.checks = {{"every job succeeded exactly once", "3 jobs never succeeded"}};

    EXPECT_THAT(to_table(result), HasSubstr("FAILED: every job succeeded exactly once: 3 jobs"));
}

TEST(ShownNumber, It_has_as_many_decimals_as_it_deserves) {
    EXPECT_EQ(shown(0), "0");
    EXPECT_EQ(shown(0.01234), "0.0123");
    EXPECT_EQ(shown(18.44), "18.4");
    EXPECT_EQ(shown(99.97), "100");
    EXPECT_EQ(shown(999.6), "1,000");
    EXPECT_EQ(shown(153'020.4), "153,020");
    EXPECT_EQ(shown(-1'234'567), "-1,234,567");
}

}  // namespace
}  // namespace jobstrand::bench
