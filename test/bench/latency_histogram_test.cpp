#include "bench/core/result.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

namespace jobstrand::bench {
namespace {

using namespace std::chrono_literals;
using Nanos = LatencyHistogram::Nanos;

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

}  // namespace
}  // namespace jobstrand::bench
