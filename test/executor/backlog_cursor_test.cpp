#include "executor/loop/scan_start.hpp"

#include <gtest/gtest.h>

#include <string>

namespace jobstrand::executor {
namespace {

TEST(BacklogCursorTest, It_begins_at_the_start) {
    const BacklogCursor<std::string> cursor;
    EXPECT_TRUE(cursor.is_at_start());
    EXPECT_EQ(cursor.position(), "");
}

TEST(BacklogCursorTest, A_full_page_is_followed_by_what_stands_behind_it) {
    BacklogCursor<std::string> cursor;
    cursor.advance(100, 100, "m");
    EXPECT_FALSE(cursor.is_at_start());
    EXPECT_EQ(cursor.position(), "m");
}

TEST(BacklogCursorTest, A_page_that_is_not_full_ends_the_backlog) {
    BacklogCursor<std::string> cursor;
    cursor.advance(100, 100, "m");
    cursor.advance(99, 100, "z");
    EXPECT_TRUE(cursor.is_at_start());
}

TEST(BacklogCursorTest, One_page_in_sixteen_is_taken_from_the_start) {
    BacklogCursor<std::string> cursor;
    int from_the_start = 0;
    for (int page = 0; page < 160; ++page) {
        from_the_start += cursor.is_at_start() ? 1 : 0;
        cursor.advance(100, 100, "m");
    }
    EXPECT_EQ(from_the_start, 10);
}

}  // namespace
}  // namespace jobstrand::executor
