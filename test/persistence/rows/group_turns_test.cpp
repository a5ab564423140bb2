#include "persistence/rows/store_context.hpp"

#include <gtest/gtest.h>

#include <array>
#include <future>
#include <string_view>

namespace jobstrand::persistence {

namespace {

using namespace std::chrono_literals;

constexpr std::array<std::string_view, 2> kOne{"a", "b"};
constexpr std::array<std::string_view, 2> kOverlapping{"b", "c"};
constexpr std::array<std::string_view, 1> kOther{"d"};

TEST(GroupTurns, One_at_other_groups_begins_at_once) {
    GroupTurns turns;
    const auto one = turns.wait_for(kOne);
    EXPECT_NE(turns.wait_for(kOther), nullptr);
}

TEST(GroupTurns, One_at_a_group_in_common_begins_when_the_first_ends) {
    GroupTurns turns;
    auto one = turns.wait_for(kOne);
    auto second = std::async(std::launch::async, [&] { return turns.wait_for(kOverlapping); });
    EXPECT_EQ(second.wait_for(20ms), std::future_status::timeout);
    one.reset();
    EXPECT_NE(second.get(), nullptr);
}

TEST(GroupTurns, One_that_never_ends_holds_nobody_up_for_long) {
    GroupTurns turns;
    const auto one = turns.wait_for(kOne);
    auto second = turns.wait_for(kOverlapping);
    second.reset();
    // What is the first one's stays so.
    auto third = std::async(std::launch::async, [&] { return turns.wait_for(kOne); });
    EXPECT_EQ(third.wait_for(20ms), std::future_status::timeout);
}

}  // namespace

}  // namespace jobstrand::persistence
