#include "bench/core/open_loop.hpp"
#include "bench/core/result.hpp"
#include "bench/core/run_ledger.hpp"
#include "bench/report.hpp"
#include "test/fixtures/temporary_directory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace jobstrand::bench {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using schema::SteadyPoint;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using namespace std::chrono_literals;
using Nanos = LatencyHistogram::Nanos;

TEST(OpenLoop, Each_number_is_sent_once_whatever_the_number_of_senders) {
    std::mutex mutex;
    std::multiset<std::size_t> sent;
    send_as_planned({.count = 500, .senders = 3}, [&](std::size_t number, SteadyPoint) {
        const std::lock_guard lock(mutex);
        sent.insert(number);
    });

    EXPECT_EQ(sent.size(), 500U);
    EXPECT_EQ(std::set(sent.begin(), sent.end()).size(), 500U);
    EXPECT_EQ(*sent.rbegin(), 499U);
}

TEST(OpenLoop, Intended_times_keep_their_distance_however_long_a_send_takes) {
    std::mutex mutex;
    std::condition_variable never;
    std::vector<SteadyPoint> intended;
    send_as_planned({.count = 4, .per_second = 1000}, [&](std::size_t, SteadyPoint when) {
        intended.push_back(when);
        std::unique_lock lock(mutex);
        never.wait_for(lock, 5ms);  // A sender that is held up for five intervals.
    });

    ASSERT_EQ(intended.size(), 4U);
    for (std::size_t i = 1; i < intended.size(); ++i) {
        EXPECT_EQ(intended[i] - intended[i - 1], 1ms);
    }
}

TEST(OpenLoop, Nothing_is_sent_before_its_time) {
    send_as_planned({.count = 20, .per_second = 2000}, [](std::size_t, SteadyPoint when) {
        EXPECT_GE(std::chrono::steady_clock::now(), when);
    });
}

TEST(OpenLoop, What_a_send_throws_reaches_the_caller) {
    const auto send = [](std::size_t number, SteadyPoint) {
        if (number == 7) {
            throw std::runtime_error("the database is away");
        }
    };

    EXPECT_THROW(send_as_planned({.count = 50, .senders = 2}, send), std::runtime_error);
}

TEST(OpenLoop, A_rate_and_a_time_make_a_count_of_at_least_one) {
    EXPECT_EQ(count_within(1000, 5s), 5000U);
    EXPECT_EQ(count_within(0.5, 3s), 2U);
    EXPECT_EQ(count_within(0.001, 1s), 1U);
}

TEST(LatencyHistogram, Without_durations_every_percentile_is_zero) {
    const LatencyHistogram histogram;

    EXPECT_EQ(histogram.count(), 0U);
    EXPECT_EQ(histogram.percentile(99), 0ns);
    EXPECT_EQ(histogram.longest(), 0ns);
}

TEST(
    LatencyHistogram,
    Percentiles_of_one_to_ten_thousand_microseconds_are_right_within_one_percent
) {
    LatencyHistogram histogram;
    for (int i = 1; i <= 10'000; ++i) {
        histogram.add(std::chrono::microseconds(i));
    }

    const auto micros = [&](double percent) {
        return static_cast<double>(histogram.percentile(percent).count()) / 1000;
    };
    EXPECT_EQ(histogram.count(), 10'000U);
    EXPECT_NEAR(micros(50), 5'000, 50);
    EXPECT_NEAR(micros(99), 9'900, 99);
    EXPECT_NEAR(micros(99.9), 9'990, 99);
    EXPECT_EQ(histogram.percentile(100), 10'000us);
    EXPECT_EQ(histogram.longest(), 10'000us);
}

TEST(LatencyHistogram, Any_duration_is_found_again_not_smaller_and_at_most_a_128th_larger) {
    for (std::int64_t nanos = 1; nanos < 1'000'000'000'000; nanos = nanos * 3 + 1) {
        LatencyHistogram histogram;
        histogram.add(Nanos(nanos));
        histogram.add(Nanos(nanos * 1000));  // So that the longest does not cut the bucket's end.

        EXPECT_GE(histogram.percentile(50).count(), nanos);
        EXPECT_LE(histogram.percentile(50).count(), nanos + nanos / 128);
    }
}

TEST(LatencyHistogram, A_negative_duration_counts_as_zero) {
    LatencyHistogram histogram;
    histogram.add(-5ns);

    EXPECT_EQ(histogram.count(), 1U);
    EXPECT_EQ(histogram.percentile(50), 0ns);
}

TEST(LatencyHistogram, The_longest_possible_duration_has_a_bucket) {
    LatencyHistogram histogram;
    histogram.add(Nanos::max());

    EXPECT_EQ(histogram.percentile(50), Nanos::max());
}

TEST(LatencyHistogram, Another_one_can_be_added) {
    LatencyHistogram histogram;
    histogram.add(1ms);
    LatencyHistogram other;
    other.add(3ms);
    histogram.add_all_of(other);

    EXPECT_EQ(histogram.count(), 2U);
    EXPECT_EQ(histogram.longest(), 3ms);
}

TEST(LatencyHistogram, Nothing_is_lost_when_threads_add_at_once) {
    LatencyHistogram histogram;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 4; ++i) {
            threads.emplace_back([&] {
                for (int n = 0; n < 10'000; ++n) {
                    histogram.add(std::chrono::microseconds(n));
                }
            });
        }
    }

    EXPECT_EQ(histogram.count(), 40'000U);
    EXPECT_EQ(histogram.longest(), 9'999us);
}

void run_all_but(RunLedger& ledger, std::size_t jobs, std::size_t left_out) {
    for (std::size_t i = 0; i < jobs; ++i) {
        if (i != left_out) {
            ledger.succeeded(i);
        }
    }
}

TEST(RunLedger, Each_job_once_is_right) {
    RunLedger ledger(10);
    run_all_but(ledger, 10, 99);

    EXPECT_THAT(ledger.mistakes(10), IsEmpty());
}

TEST(RunLedger, A_job_that_never_succeeded_is_a_mistake) {
    RunLedger ledger(10);
    run_all_but(ledger, 10, 3);

    EXPECT_THAT(ledger.mistakes(10), HasSubstr("1 jobs never succeeded"));
}

TEST(RunLedger, A_job_that_ran_twice_is_a_mistake_even_if_the_total_is_right) {
    RunLedger ledger(10);
    run_all_but(ledger, 10, 3);
    ledger.succeeded(4);

    EXPECT_THAT(ledger.mistakes(10), HasSubstr("1 jobs never succeeded, 1 runs were too many"));
}

TEST(RunLedger, A_payload_may_be_filled_up_behind_its_number) {
    RunLedger ledger(10);
    const std::string payload = RunLedger::payload_of(7, 100);

    EXPECT_EQ(payload.size(), 100U);
    EXPECT_EQ(ledger.number_of(payload), 7U);
}

TEST(RunLedger, A_job_that_nobody_enqueued_is_a_mistake) {
    RunLedger ledger(10);
    run_all_but(ledger, 10, 99);
    ledger.succeeded(10);
    ledger.succeeded(ledger.number_of("not a number"));

    EXPECT_THAT(ledger.mistakes(10), HasSubstr("2 runs were too many"));
}

TEST(RunLedger, A_number_survives_the_way_through_a_payload) {
    RunLedger ledger(1);

    EXPECT_EQ(ledger.number_of(RunLedger::payload_of(0)), 0U);
    EXPECT_EQ(ledger.number_of(RunLedger::payload_of(987'654)), 987'654U);
}

TEST(RunLedger, Only_digits_are_a_number) {
    RunLedger ledger(100);

    EXPECT_GT(ledger.number_of(""), 100U);
    EXPECT_GT(ledger.number_of("7x"), 100U);
    EXPECT_GT(ledger.number_of("-7"), 100U);
}

TEST(RunLedger, Waiting_ends_with_the_last_success) {
    RunLedger ledger(1000);
    const std::jthread worker([&] { run_all_but(ledger, 1000, 5000); });

    EXPECT_TRUE(ledger.wait_for(1000, 20s));
    EXPECT_EQ(ledger.count(), 1000U);
}

TEST(RunLedger, Waiting_ends_when_the_time_is_over) {
    RunLedger ledger(2);
    ledger.succeeded(0);

    EXPECT_FALSE(ledger.wait_for(2, 5ms));
}

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

class Report : public testing::Test {
protected:
    std::string file_with(const std::string& name, const std::string& content) {
        const std::string path = (directory_.path() / name).string();
        std::ofstream(path) << content;
        return path;
    }

    static Result a_result(std::string scenario) {
        Result result{.scenario = std::move(scenario), .started_at = "2026-11-20T00:00:00.000Z"};
        result.environment = {{"cpu", "a fast one"}, {"database", "SQLite 3"}, {"url", "secret"}};
        result.figures = {{"jobs run", "jobs/s", {150'000}, 300'000}};
        return result;
    }

    test::TemporaryDirectory directory_;
};

TEST_F(Report, Each_figure_of_each_file_is_a_row) {
    const std::string report = markdown_report(
        {.files =
             {file_with("a.json", to_json(a_result("drain"))),
              file_with("b.json", to_json(a_result("flow")))}}
    );

    EXPECT_THAT(
        report,
        HasSubstr("| drain | SQLite 3 | jobs run | 150,000 | 150,000 to 150,000 | jobs/s | 300,000 "
                  "| 0.5 |\n| flow | SQLite 3 |")
    );
    EXPECT_THAT(report, HasSubstr("a fast one"));
    EXPECT_THAT(report, HasSubstr("All checks passed"));
}

TEST_F(Report, Each_curve_is_drawn_as_an_svg_file_in_the_directory) {
    if (std::system("command -v gnuplot >/dev/null") != 0) {
        GTEST_SKIP() << "not on this machine: gnuplot; install Debian's gnuplot-nox";
    }
    Result result = a_result("scale");
    result.series = {
        {"rate: 5 % 'of' $HOME", "jobs", "jobs/s", {{10, 1}, {1000, 3}}},
        {"nothing measured", "s", "ms", {}}};
    const std::string report = markdown_report(
        {.files = {file_with("a.json", to_json(result))}, .charts = directory_.path().string()}
    );

    const fs::path chart = directory_.path() / "scale-rate-5-of-home.svg";
    EXPECT_THAT(report, HasSubstr("(" + chart.string() + ")"));
    EXPECT_THAT(report, Not(HasSubstr("nothing measured")));
    std::ifstream file(chart);
    const std::string svg(std::istreambuf_iterator<char>(file), {});
    EXPECT_THAT(svg, HasSubstr("<svg"));
    EXPECT_THAT(svg, HasSubstr("scale: rate: 5 % 'of' $HOME"));
    EXPECT_THAT(svg, HasSubstr("</svg>"));
}

TEST_F(Report, A_chart_that_cannot_be_written_is_an_error_that_names_it) {
    if (std::system("command -v gnuplot >/dev/null") != 0) {
        GTEST_SKIP() << "not on this machine: gnuplot; install Debian's gnuplot-nox";
    }
    Result result = a_result("scale");
    result.series = {{"rate", "jobs", "jobs/s", {{1, 1}}}};
    const std::string file = file_with("a.json", to_json(result));
    try {
        (void)markdown_report({.files = {file}, .charts = file});
        ADD_FAILURE() << "a file was taken for a directory";
    } catch (const std::runtime_error& error) {
        EXPECT_THAT(error.what(), HasSubstr("scale-rate.svg"));
    }
}

TEST_F(Report, A_failed_check_is_named) {
    Result result = a_result("drain");
    result.checks = {{"the tables are empty at the end", "jobs are left"}};
    const std::string report = markdown_report({.files = {file_with("a.json", to_json(result))}});

    EXPECT_THAT(
        report, HasSubstr("**Failed** in drain: the tables are empty at the end: jobs are left")
    );
}

TEST_F(Report, A_file_that_is_no_result_is_refused_by_name) {
    for (const std::string content : {"", "{", "[]", R"({"format":"another/1"})"}) {
        const std::string path = file_with("other.json", content);
        try {
            (void)markdown_report({.files = {path}});
            ADD_FAILURE() << "accepted: " << content;
        } catch (const std::runtime_error& error) {
            EXPECT_THAT(error.what(), HasSubstr("other.json is not a result"));
        }
    }
}

}  // namespace

}  // namespace jobstrand::bench
