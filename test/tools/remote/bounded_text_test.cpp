#include "tools/surface/run_for_client.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace jobstrand {
namespace {

using cli::BoundedText;

TEST(BoundedTextTest, Takes_all_that_there_is_room_for) {
    BoundedText text(6);
    text << "ab" << 'c' << 12;
    text.put('!');
    EXPECT_EQ(text.take_text(), "abc12!");
}

TEST(BoundedTextTest, Leaves_out_what_comes_behind_its_end) {
    BoundedText text(4);
    text << "abc"
         << "def";
    text.put('g');
    EXPECT_EQ(text.take_text(), "abc");
    EXPECT_TRUE(text.good()) << "nobody who writes to it has to care";
}

TEST(BoundedTextTest, Tells_who_wants_to_know_that_it_is_full) {
    BoundedText text(3, [] { throw std::length_error("full"); });
    text << "abc";
    EXPECT_THROW(text << "d", std::length_error);
    text.clear();
    EXPECT_THROW(text.put('e'), std::length_error);
    EXPECT_EQ(text.take_text(), "abc");
}

}  // namespace
}  // namespace jobstrand
