#include "tools/text/terminal_text.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace jobstrand::cli {
namespace {

using namespace std::chrono_literals;

TEST(RelativeTime, Tells_how_far_a_time_lies_from_now) {
    const schema::TimePoint now = std::chrono::sys_days{std::chrono::year{2026} / 11 / 20};
    const std::pair<schema::Duration, const char*> cases[]{
        {0ms, "now"},
        {999ms, "now"},
        {-999ms, "now"},
        {1s, "in 1 s"},
        {-30s, "30 s ago"},
        {119s, "in 119 s"},
        {2min, "in 2 min"},
        {3min + 59s, "in 3 min"},
        {-119min, "119 min ago"},
        {-2h, "2 h ago"},
        {47h, "in 47 h"},
        {48h, "in 2 d"},
        {-24h * 700, "700 d ago"},
        {std::chrono::years{3}, "in 3 y"},
    };
    for (const auto& [distance, words] : cases) {
        EXPECT_EQ(relative_time(now + distance, now), words) << distance.count();
    }
}

}  // namespace
}  // namespace jobstrand::cli
