#include "timers/due_start.hpp"

#include "executor/loop/scan_start.hpp"

#include <gtest/gtest.h>

namespace jobstrand::timers {
namespace {

using namespace std::chrono_literals;
using schema::TimePoint;

class DueStartTest : public testing::Test {
protected:
    /// The first look takes a full page.
    void take_page(TimePoint end) { start.ended(start.begin(), end, now); }

    DueStart start;
    const TimePoint now{100h};
    const TimePoint a = now - 9h;
    const TimePoint b = now - 8h;
    const TimePoint c = now - 7h;
};

TEST_F(DueStartTest, It_begins_at_the_oldest) {
    EXPECT_EQ(start.begin().from, std::nullopt);
    EXPECT_EQ(start.begin().round, std::nullopt);
    EXPECT_FALSE(start.begin_beside()) << "there is no backlog";
}

TEST_F(DueStartTest, A_full_page_is_followed_by_what_is_due_later_in_the_same_round) {
    take_page(a);
    EXPECT_EQ(start.begin().from, a);
    EXPECT_EQ(start.begin().round, now);
}

TEST_F(DueStartTest, A_page_that_is_not_full_ends_the_backlog_and_the_round) {
    take_page(a);
    start.ended(start.begin(), std::nullopt, now);
    EXPECT_EQ(start.begin().from, std::nullopt);
    EXPECT_EQ(start.begin().round, std::nullopt);
}

TEST_F(DueStartTest, One_page_in_sixteen_is_taken_from_the_oldest_in_the_same_round) {
    for (int page = 0; page < executor::kPagesFromTheStart; ++page) {
        EXPECT_EQ(start.begin().from.has_value(), page != 0);
        take_page(a);
    }
    EXPECT_EQ(start.begin().from, std::nullopt);
    EXPECT_EQ(start.begin().round, now);
}

TEST_F(DueStartTest, A_second_look_goes_on_behind_what_the_first_has_found) {
    const DueLook first = start.begin();
    start.found(first, a, now);
    const auto second = start.begin_beside();
    ASSERT_TRUE(second);
    EXPECT_EQ(second->from, a);
    EXPECT_EQ(second->round, now);
    start.found(*second, b, now);
    start.ended(first, a, now);
    EXPECT_EQ(start.begin().from, b) << "and the first behind what the second has found";
}

TEST_F(
    DueStartTest,
    Where_the_second_look_finds_no_full_page_the_first_says_whether_that_is_the_end
) {
    take_page(a);
    start.ended(*start.begin_beside(), std::nullopt, now);
    EXPECT_EQ(start.begin().from, a);
}

TEST_F(DueStartTest, A_look_that_began_before_the_last_start_at_the_oldest_moves_nothing) {
    take_page(a);
    const auto second = start.begin_beside();
    start.stored(a - 1ms);
    take_page(b);
    start.found(*second, c, now);
    EXPECT_EQ(start.begin().from, b);
}

TEST_F(DueStartTest, What_was_found_and_not_moved_is_looked_for_again) {
    take_page(a);
    start.found(start.begin(), b, now);
    start.failed();
    EXPECT_EQ(start.begin().from, std::nullopt);
}

TEST_F(DueStartTest, Only_a_timer_that_would_be_passed_over_makes_it_begin_at_the_oldest) {
    take_page(a);
    start.stored(a);
    EXPECT_EQ(start.begin().from, a);
    start.stored(a - 1ms);
    EXPECT_EQ(start.begin().from, std::nullopt);
}

}  // namespace
}  // namespace jobstrand::timers
