#include "tools/text/terminal_text.hpp"

#include <gtest/gtest.h>

namespace jobstrand::cli {
namespace {

using namespace std::chrono_literals;

TEST(AgeText, It_has_the_largest_unit) {
    EXPECT_EQ(age_text(0ms), "0 s ago");
    EXPECT_EQ(age_text(59'999ms), "59 s ago");
    EXPECT_EQ(age_text(12min + 5s), "12 min ago");
    EXPECT_EQ(age_text(3h), "3 h ago");
    EXPECT_EQ(age_text(76h + 5min), "3 d ago");
}

TEST(AgeText, What_lies_ahead_is_now) {
    EXPECT_EQ(age_text(-5min), "0 s ago");
}

}  // namespace
}  // namespace jobstrand::cli
