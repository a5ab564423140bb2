#include "tools/text/terminal_text.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace jobstrand::cli {
namespace {

using namespace std::string_view_literals;

struct PrintableCase {
    const char* what;
    std::string_view text;
    std::string expected;
};

TEST(Printable, Nothing_that_moves_a_cursor_or_breaks_a_line_gets_through) {
    const PrintableCase cases[] = {
        {"plain words", "two words", "two words"},
        {"line breaks", "a\nb\r\tc", "a\\nb\\r\\tc"},
        {"a terminal escape", "\x1b[2J", "\\x1b[2J"},
        {"NUL and DEL", "a\0\x7f"sv, "a\\x00\\x7f"},
        {"letters beyond ASCII", "Größe 数 🙂", "Größe 数 🙂"},
        {"a control above ASCII",
         "a\xc2\x9b"
         "31m",
         "a\\xc2\\x9b31m"},
        {"the direction of reading turned",
         "a\u202Eb\u2066c\u200F",
         "a\\u{202e}b\\u{2066}c\\u{200f}"},
        {"line breaks of Unicode", "a\u2028b\u2029", "a\\u{2028}b\\u{2029}"},
        {"letters that are read from the right", "שלום", "שלום"},
        {"a byte that is no UTF-8", "a\xff", "a\\xff"},
        {"a character cut off", "a\xe6\x95", "a\\xe6\\x95"},
        {"an overlong slash", "\xc0\xaf", "\\xc0\\xaf"},
        {"an overlong form of three bytes", "\xe0\x80\xaf", "\\xe0\\x80\\xaf"},
        {"a surrogate", "\xed\xa0\x80", "\\xed\\xa0\\x80"},
        {"above the last character", "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},
    };
    for (const PrintableCase& test : cases) {
        EXPECT_EQ(printable(test.text), test.expected) << test.what;
    }
}

TEST(Printable, A_value_is_quoted_exactly_when_it_could_be_misread) {
    const PrintableCase cases[] = {
        {"a word", "PT10S", "PT10S"},
        {"nothing", "", "\"\""},
        {"a space", "two words", "\"two words\""},
        {"a quote", "say \"no\"", "\"say \\\"no\\\"\""},
        {"a backslash", "a\\b", "\"a\\\\b\""},
        {"an equals sign", "a=b", "\"a=b\""},
        {"a line break", "a\nlevel=error", "\"a\\nlevel=error\""},
    };
    for (const PrintableCase& test : cases) {
        EXPECT_EQ(quoted_if_needed(test.text), test.expected) << test.what;
    }
}

TEST(Printable, Width_counts_characters_and_cutting_keeps_them_whole) {
    EXPECT_EQ(width_of("Größe"), 5U);
    EXPECT_EQ(cut_to_width("Größe", 5), "Größe");
    EXPECT_EQ(cut_to_width("Größe", 4), "Grö…");
}

TEST(Printable, Width_is_counted_in_columns_of_a_terminal) {
    EXPECT_EQ(width_of("数据"), 4U);
    EXPECT_EQ(width_of("e\u0301a"), 2U);
    EXPECT_EQ(width_of("🙂"), 2U);
    EXPECT_EQ(characters_of("数据"), 2U);
    EXPECT_EQ(cut_to_width("数数数", 4), "数…");
    EXPECT_EQ(cut_to_width("数数数", 5), "数数…");
    EXPECT_EQ(cut_to_width("e\u0301bcd", 3), "e\u0301b…");
}

}  // namespace
}  // namespace jobstrand::cli
