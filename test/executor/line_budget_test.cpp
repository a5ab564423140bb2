#include "executor/report/outcome_report.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace jobstrand::executor {
namespace {

using namespace std::chrono_literals;

const schema::SteadyPoint kFirstLine{1h};

TEST(LineBudget, The_first_lines_of_each_second_are_written) {
    struct Row {
        schema::Duration at;
        bool is_written;
    };
    const std::vector<Row> rows{
        {0ms, true},
        {0ms, true},
        {1ms, false},
        {999ms, false},
        {1000ms, true},
        {1500ms, true},
        {1999ms, false},
        // After a pause the second begins with its first line.
        {9500ms, true},
        {10'400ms, true},
        {10'499ms, false},
        {10'500ms, true},
    };
    LineBudget budget(2);
    for (const Row& row : rows) {
        EXPECT_EQ(budget.allows(kFirstLine + row.at), row.is_written) << row.at.count();
    }
}

TEST(LineBudget, What_was_left_out_is_counted_once_when_its_second_is_over) {
    LineBudget budget(1);
    EXPECT_EQ(budget.next_count(), std::nullopt);
    for (int i = 0; i < 4; ++i) {
        (void)budget.allows(kFirstLine);
    }
    EXPECT_EQ(budget.take_left_out(kFirstLine + 999ms), 0);
    EXPECT_EQ(budget.next_count(), kFirstLine + 1s);
    EXPECT_EQ(budget.take_left_out(kFirstLine + 1s), 3);
    EXPECT_EQ(budget.take_left_out(kFirstLine + 2s), 0);
    EXPECT_EQ(budget.next_count(), std::nullopt);
}

TEST(LineBudget, In_a_storm_that_nobody_asks_about_the_count_goes_on_through_the_seconds) {
    LineBudget budget(1);
    for (int i = 0; i < 30; ++i) {
        (void)budget.allows(kFirstLine + i * 100ms);
    }
    EXPECT_EQ(budget.take_left_out(kFirstLine + 1h), 27);
}

TEST(LineBudget, Without_lines_every_line_is_counted) {
    LineBudget budget(0);
    EXPECT_FALSE(budget.allows(kFirstLine));
    EXPECT_EQ(budget.take_left_out(kFirstLine + 1s), 1);
}

}  // namespace
}  // namespace jobstrand::executor
