#include "executor/pool/worker_pool.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace jobstrand::executor {
namespace {

using namespace std::chrono_literals;

RunForecast after(std::initializer_list<std::chrono::nanoseconds> runs, schema::Duration ahead) {
    RunForecast forecast(ahead);
    for (const auto run : runs) {
        forecast.ended(run);
    }
    return forecast;
}

TEST(RunForecast, Nothing_is_known_before_the_first_run_has_ended) {
    RunForecast forecast(500ms);
    EXPECT_FALSE(forecast.is_known());
    EXPECT_EQ(forecast.starts(8), 0U);
    forecast.ended(1ms);
    EXPECT_TRUE(forecast.is_known());
}

TEST(RunForecast, Workers_start_what_they_end_within_the_time_ahead) {
    struct Row {
        std::chrono::nanoseconds run;
        schema::Duration ahead;
        std::size_t workers;
        std::size_t starts;
    };
    const std::vector<Row> rows{
        {1s, 500ms, 8, 0},
        {501ms, 500ms, 8, 0},
        {500ms, 500ms, 8, 8},
        {251ms, 500ms, 8, 8},
        {250ms, 500ms, 8, 16},
        {1ms, 500ms, 8, 4000},
        {10us, 500ms, 1, 50'000},
        {0ns, 1ms, 2, 2'000'000},
        {1ms, 0ms, 8, 0},
        {1s, 1h, 1, 3600},
        {1ms, 500ms, 0, 0},
    };
    for (const Row& row : rows) {
        EXPECT_EQ(after({row.run}, row.ahead).starts(row.workers), row.starts) << row.run.count();
    }
}

TEST(RunForecast, A_few_long_runs_among_short_ones_count_for_little) {
    RunForecast forecast(500ms);
    for (int i = 0; i < 1000; ++i) {
        forecast.ended(i % 100 == 50 ? 16ms : 1ms);
    }
    EXPECT_GT(forecast.starts(1), 250U);
}

TEST(RunForecast, Runs_that_go_on_may_only_make_it_longer) {
    RunForecast forecast = after({1us}, 500ms);
    forecast.takes_at_least(100ms);
    EXPECT_EQ(forecast.starts(1), 5U);
    forecast.takes_at_least(1ms);
    EXPECT_EQ(forecast.starts(1), 5U);
    RunForecast unknown(500ms);
    unknown.takes_at_least(250ms);
    EXPECT_EQ(unknown.starts(1), 2U);
}

TEST(RunForecast, It_follows_a_change_of_work_within_some_dozen_runs) {
    RunForecast forecast(500ms);
    for (int i = 0; i < 1000; ++i) {
        forecast.ended(1us);
    }
    ASSERT_GT(forecast.starts(8), 100'000U);
    for (int i = 0; i < 16; ++i) {
        forecast.ended(2s);
    }
    EXPECT_EQ(forecast.starts(8), 0U);
    for (int i = 0; i < 200; ++i) {
        forecast.ended(1ms);
    }
    EXPECT_GT(forecast.starts(1), 400U);
}

}  // namespace
}  // namespace jobstrand::executor
