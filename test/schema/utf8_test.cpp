#include "schema/text/utf8.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace jobstrand::schema {
namespace {

using namespace std::string_literals;

TEST(Utf8, The_size_of_a_character_follows_rfc_3629) {
    struct Row {
        std::string text;
        std::size_t size;
    };
    const std::vector<Row> rows{
        {"", 0},
        {"a", 1},
        {"\x7F", 1},
        {"\0"s, 0},
        {"\x80", 0},
        {"\xC1\xBF", 0},
        {"\xC2\x80", 2},
        {"\xDF\xBFx", 2},
        {"\xC2", 0},
        {"\xC2x", 0},
        {"\xE0\x9F\xBF", 0},
        {"\xE0\xA0\x80", 3},
        {"\xED\x9F\xBF", 3},
        {"\xED\xA0\x80", 0},
        {"\xEF\xBF\xBD", 3},
        {"\xE2\x82", 0},
        {"\xE2\x82x", 0},
        {"\xF0\x8F\xBF\xBF", 0},
        {"\xF0\x90\x80\x80", 4},
        {"\xF4\x8F\xBF\xBF", 4},
        {"\xF4\x90\x80\x80", 0},
        {"\xF5\x80\x80\x80", 0},
        {"\xF0\x9F\x98", 0},
        {"\xF0\x9F\x98x", 0},
    };
    for (const Row& row : rows) {
        EXPECT_EQ(first_character_size(row.text), row.size) << testing::PrintToString(row.text);
    }
}

TEST(Utf8, Characters_are_counted_and_not_bytes) {
    EXPECT_EQ(count_characters(""), 0U);
    EXPECT_EQ(count_characters("abc"), 3U);
    EXPECT_EQ(count_characters("äö€😀"), 4U);
    EXPECT_EQ(count_characters("ab\xFF"), std::nullopt);
    EXPECT_EQ(count_characters("a\0b"s), std::nullopt);
}

TEST(Utf8, The_first_characters_are_whole_ones) {
    EXPECT_EQ(first_characters("äö€😀", 3), "äö€");
    EXPECT_EQ(first_characters("äö€😀", 4), "äö€😀");
    EXPECT_EQ(first_characters("ab", 10), "ab");
    EXPECT_EQ(first_characters("ab", 0), "");
}

TEST(Utf8, Each_byte_that_may_not_stand_is_replaced) {
    EXPECT_EQ(
        first_characters(
            "a\xFF\xFE"
            "b",
            10
        ),
        "a\uFFFD\uFFFDb"
    );
    EXPECT_EQ(first_characters("a\0b"s, 10), "a\uFFFDb");
    EXPECT_EQ(first_characters("a\xE2\x82", 10), "a\uFFFD\uFFFD");
    EXPECT_EQ(
        last_bytes(
            "a\xFF"
            "b",
            10
        ),
        "a\uFFFDb"
    );
}

TEST(Utf8, The_last_bytes_are_whole_characters) {
    EXPECT_EQ(last_bytes("abc", 2), "bc");
    EXPECT_EQ(last_bytes("a😀b", 5), "😀b");
    EXPECT_EQ(last_bytes("a😀b", 4), "b");
    EXPECT_EQ(last_bytes("a😀b", 1), "b");
    EXPECT_EQ(last_bytes("a😀", 3), "");
    EXPECT_EQ(last_bytes("abc", 0), "");
    EXPECT_EQ(last_bytes("", 5), "");
}

TEST(Utf8, The_last_bytes_fit_also_after_replacements_made_the_text_longer) {
    EXPECT_EQ(last_bytes(std::string(10, '\xFF'), 10), "\uFFFD\uFFFD\uFFFD");
    EXPECT_EQ(last_bytes("ab\xFF", 4), "b\uFFFD");
}

// A cut inside the text must not turn the rest of a character into a replacement.
TEST(Utf8, A_character_that_does_not_fit_leaves_no_trace) {
    std::string smileys;
    for (int i = 0; i < 100; ++i) {
        smileys += "😀";
    }
    for (std::size_t limit = 0; limit <= smileys.size(); ++limit) {
        const std::string end = last_bytes(smileys, limit);
        ASSERT_EQ(end.size(), limit / 4 * 4);
        ASSERT_EQ(end, smileys.substr(smileys.size() - end.size()));
    }
}

}  // namespace
}  // namespace jobstrand::schema
