#include "tools/service/api/change_feed.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace jobstrand {
namespace {

using namespace std::chrono_literals;
using schema::TimePoint;
using service::BacklogTrend;

constexpr TimePoint kNow{1000h};

TEST(BacklogTrendTest, Nothing_is_said_before_it_was_seen_for_a_while) {
    BacklogTrend trend;
    EXPECT_EQ(trend.growth(), std::nullopt);
    trend.note(kNow, 10);
    trend.note(kNow + 4999ms, 20);
    EXPECT_EQ(trend.growth(), std::nullopt);
    trend.note(kNow + 5s, 20);
    EXPECT_EQ(trend.growth(), 2.0);
}

TEST(BacklogTrendTest, It_grows_shrinks_or_stands_still_in_tenths) {
    BacklogTrend trend;
    trend.note(kNow, 100);
    trend.note(kNow + 30s, 90);
    EXPECT_EQ(trend.growth(), -0.3);
    trend.note(kNow + 40s, 100);
    EXPECT_EQ(trend.growth(), 0.0);
}

TEST(BacklogTrendTest, The_last_minute_counts) {
    BacklogTrend trend;
    trend.note(kNow, 1'000'000);
    trend.note(kNow + 30s, 0);
    trend.note(kNow + 61s, 31);
    EXPECT_EQ(trend.growth(), 1.0);
    trend.note(kNow + 1h, 31);
    EXPECT_EQ(trend.growth(), std::nullopt);
}

TEST(BacklogTrendTest, A_count_of_earlier_changes_nothing) {
    BacklogTrend trend;
    trend.note(kNow, 0);
    trend.note(kNow + 10s, 10);
    trend.note(kNow + 10s, 500);
    trend.note(kNow + 1s, 500);
    EXPECT_EQ(trend.growth(), 1.0);
}

}  // namespace
}  // namespace jobstrand
