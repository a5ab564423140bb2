#include "schema/limits.hpp"
#include "schema/text/column_text.hpp"
#include "schema/text/parsing.hpp"
#include "schema/text/trace_parent.hpp"
#include "schema/text/utf8.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace jobstrand::schema {

namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using namespace std::string_literals;

TEST(Utf8, The_size_of_a_character_follows_rfc_3629) {
    const std::pair<std::string, std::size_t> rows[]{
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
    for (const auto& [text, size] : rows) {
        EXPECT_EQ(first_character_size(text), size) << testing::PrintToString(text);
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

/// `position: message` of what went wrong first; "fine".
std::string problem_of(const TextScanner& scanner) {
    const auto result = scanner.result(0);
    return result ? "fine"
                  : std::to_string(result.error().position) + ": " + result.error().message;
}

TEST(TextScanner, Takes_what_comes_next_and_leaves_what_does_not) {
    TextScanner scanner("P1");
    EXPECT_FALSE(scanner.take('1'));
    EXPECT_EQ(scanner.position(), 0U);
    EXPECT_TRUE(scanner.take('P'));
    EXPECT_EQ(scanner.peek(), '1');
    EXPECT_TRUE(scanner.next_is_digit());
    EXPECT_TRUE(scanner.take('1'));
    EXPECT_TRUE(scanner.at_end());
    EXPECT_EQ(problem_of(scanner), "fine");
}

TEST(TextScanner, Is_at_its_end_with_nothing_to_see_there) {
    TextScanner scanner("");
    EXPECT_TRUE(scanner.at_end());
    EXPECT_EQ(scanner.peek(), '\0');
    EXPECT_FALSE(scanner.next_is_digit());
    EXPECT_FALSE(scanner.take('\0')) << "the NUL behind the end is no character of the text";
    scanner.expect_end();
    EXPECT_EQ(problem_of(scanner), "fine");
}

TEST(TextScanner, A_NUL_inside_of_the_text_is_a_character) {
    TextScanner scanner(std::string_view("\0x", 2));
    EXPECT_FALSE(scanner.at_end());
    EXPECT_TRUE(scanner.take('\0'));
    EXPECT_TRUE(scanner.take('x'));
    EXPECT_TRUE(scanner.at_end());
}

TEST(TextScanner, Says_what_it_expected_and_where) {
    TextScanner scanner("10:x");
    EXPECT_EQ(scanner.number("the hour"), 10);
    scanner.expect(':', "':' behind the hour");
    EXPECT_EQ(scanner.number("the minute"), 0);
    EXPECT_EQ(problem_of(scanner), "3: expected the minute");
}

TEST(TextScanner, Says_where_a_text_should_have_ended) {
    TextScanner scanner("5 ");
    EXPECT_EQ(scanner.number("a number"), 5);
    scanner.expect_end();
    EXPECT_EQ(problem_of(scanner), "1: expected the end of the text");
}

TEST(TextScanner, Keeps_the_first_thing_that_is_wrong) {
    TextScanner scanner("abc");
    scanner.fail_at(2, "the first");
    scanner.fail("the second");
    scanner.expect('z', "the third");
    EXPECT_EQ(problem_of(scanner), "2: the first");
}

TEST(TextScanner, Answers_nothing_more_once_something_was_wrong) {
    TextScanner scanner("123");
    scanner.fail("enough");
    EXPECT_TRUE(scanner.failed());
    EXPECT_TRUE(scanner.at_end()) << "so that loops end";
    EXPECT_EQ(scanner.peek(), '\0');
    EXPECT_FALSE(scanner.take('1'));
    EXPECT_EQ(scanner.number("a number"), 0);
    EXPECT_EQ(scanner.digits(2, "hour", 0, 23), 0);
    EXPECT_EQ(scanner.milliseconds(), 0);
    EXPECT_EQ(scanner.position(), 0U);
}

TEST(TextScanner, A_number_takes_all_its_digits_and_is_cut_where_it_is_too_large) {
    const std::pair<std::string_view, std::int64_t> cases[]{
        {"0", 0},
        {"007", 7},
        {"42x", 42},
        {"999999999999999", 999'999'999'999'999},
        {"1000000000000000", TextScanner::kLargestNumber},
        {"1000000000000001", TextScanner::kLargestNumber},
        {"99999999999999999999999999999999999999", TextScanner::kLargestNumber},
    };
    for (const auto& [text, number] : cases) {
        TextScanner scanner(text);
        EXPECT_EQ(scanner.number("a number"), number) << text;
        EXPECT_EQ(problem_of(scanner), "fine") << text;
        EXPECT_FALSE(scanner.next_is_digit()) << text << ": every digit is consumed";
    }
}

TEST(TextScanner, A_sign_or_a_blank_begins_no_number) {
    for (const std::string_view text : {"-1", "+1", " 1", "", "x"}) {
        TextScanner scanner(text);
        EXPECT_EQ(scanner.number("a number"), 0) << text;
        EXPECT_EQ(problem_of(scanner), "0: expected a number") << text;
    }
}

TEST(TextScanner, Digits_are_as_many_as_asked_for_and_within_their_bounds) {
    const struct {
        std::string_view text;
        std::string_view problem;
        int value;
    } cases[] = {
        {"00", "fine", 0},
        {"23", "fine", 23},
        {"235", "fine", 23},
        {"24", "0: the hour must be 0 to 23", 24},
        {"7", "1: expected 2 digits for the hour", 0},
        {"7:", "1: expected 2 digits for the hour", 0},
        {"", "0: expected 2 digits for the hour", 0},
    };
    for (const auto& [text, problem, value] : cases) {
        TextScanner scanner(text);
        EXPECT_EQ(scanner.digits(2, "hour", 0, 23), value) << text;
        EXPECT_EQ(problem_of(scanner), problem) << text;
    }
}

TEST(TextScanner, A_fraction_is_cut_to_milliseconds) {
    const std::pair<std::string_view, std::int64_t> cases[]{
        {"5", 500},
        {"05", 50},
        {"005", 5},
        {"0005", 0},
        {"9999999999", 999},
        {"123Z", 123},
    };
    for (const auto& [text, milliseconds] : cases) {
        TextScanner scanner(text);
        EXPECT_EQ(scanner.milliseconds(), milliseconds) << text;
        EXPECT_EQ(problem_of(scanner), "fine") << text;
    }
    TextScanner none("Z");
    EXPECT_EQ(none.milliseconds(), 0);
    EXPECT_EQ(problem_of(none), "0: expected the digits of a fraction");
}

TEST(ParseResult, Is_a_value_or_an_error_and_asking_for_the_other_is_a_mistake) {
    const ParseResult<int> value(7);
    EXPECT_TRUE(value);
    EXPECT_EQ(value.value(), 7);
    EXPECT_THROW((void)value.error(), std::bad_variant_access);

    const ParseResult<int> error(ParseError{"wrong", 3});
    EXPECT_FALSE(error);
    EXPECT_EQ(error.error(), (ParseError{"wrong", 3}));
    EXPECT_THROW((void)error.value(), std::bad_variant_access);
}

std::vector<std::string> problems_of_id(std::string_view id) {
    std::vector<std::string> problems;
    check_id("id", id, problems);
    return problems;
}

std::vector<std::string> problems_of_text(std::string_view text, std::size_t most) {
    std::vector<std::string> problems;
    check_text("name", text, most, problems);
    return problems;
}

TEST(TextRules, An_id_holds_any_printable_character) {
    std::string all;
    for (char c = '!'; c <= '~'; ++c) {
        all += c;
    }
    EXPECT_THAT(problems_of_id(all.substr(0, limits::kIdLength)), IsEmpty());
    EXPECT_THAT(problems_of_id(all.substr(all.size() - limits::kIdLength)), IsEmpty());
    EXPECT_THAT(problems_of_id(" order 12"), IsEmpty()) << "spaces before the end are kept";
    EXPECT_THAT(problems_of_id(""), IsEmpty()) << "whether it may be empty is the field's rule";
}

TEST(TextRules, An_id_of_an_app_is_any_text_without_control_characters) {
    const auto problems_of = [](std::string_view id) {
        std::vector<std::string> problems;
        check_app_id("instance", id, problems);
        return problems;
    };
    EXPECT_THAT(problems_of("ørder 注文-17"), IsEmpty());
    std::string longest;
    for (std::size_t i = 0; i < limits::kIdLength; ++i) {
        longest += "注";
    }
    EXPECT_THAT(problems_of(longest), IsEmpty());
    EXPECT_THAT(problems_of(longest + "1"), ElementsAre("instance is longer than 64 characters"));
    for (const std::string_view bad : {"a\tb", "a\x7f", "a "}) {
        EXPECT_THAT(
            problems_of(bad),
            ElementsAre("instance may hold no control characters, and no space at its end")
        ) << bad;
    }
}

TEST(TextRules, An_id_holds_nothing_that_some_database_would_change) {
    const std::string sentence =
        "id may only hold printable ASCII characters, with no space at its end";
    for (const std::string_view id : {"a ", "a\t", "a\n", "\x7f", "\xc3\xa4", "\x1b[0m"}) {
        EXPECT_THAT(problems_of_id(id), ElementsAre(sentence)) << id;
    }
    EXPECT_THAT(problems_of_id(std::string_view("a\0b", 3)), ElementsAre(sentence));
}

TEST(TextRules, An_id_fits_its_column_to_the_last_character) {
    const std::string longest(limits::kIdLength, 'x');
    EXPECT_THAT(problems_of_id(longest), IsEmpty());
    EXPECT_THAT(
        problems_of_id(longest + "x"),
        ElementsAre("id is longer than " + std::to_string(limits::kIdLength) + " characters")
    );
}

TEST(TextRules, Everything_that_is_wrong_with_an_id_is_said) {
    EXPECT_EQ(problems_of_id(std::string(limits::kIdLength, 'x') + "\n").size(), 2U);
}

TEST(TextRules, A_text_is_measured_in_characters_as_databases_do_and_not_in_bytes) {
    EXPECT_THAT(problems_of_text("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", 3), IsEmpty());
    EXPECT_THAT(
        problems_of_text("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", 2),
        ElementsAre("name is longer than 2 characters")
    );
}

TEST(TextRules, A_text_is_UTF_8_without_NUL) {
    const std::string sentence = "name is not UTF-8 text without NUL";
    EXPECT_THAT(problems_of_text(std::string_view("a\0b", 3), 10), ElementsAre(sentence));
    for (const std::string_view text :
         {"\xff", "\xc3", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "ok\x80"}) {
        EXPECT_THAT(problems_of_text(text, 10), ElementsAre(sentence));
    }
}

constexpr std::string_view kSampled = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

TEST(TraceParent, Is_read_and_written) {
    const auto parent = parse_trace_parent(kSampled);
    ASSERT_TRUE(parent);
    EXPECT_EQ(parent->trace_id, "0af7651916cd43dd8448eb211c80319c");
    EXPECT_EQ(parent->parent_id, "b7ad6b7169203331");
    EXPECT_TRUE(parent->is_sampled);
    EXPECT_EQ(text_of(*parent), kSampled);
}

TEST(TraceParent, Other_flags_are_of_no_meaning) {
    for (const auto& [flags, is_sampled] :
         {std::pair{"00", false}, {"02", false}, {"03", true}, {"ff", true}}) {
        const std::string text = std::string(kSampled.substr(0, 53)) + flags;
        ASSERT_TRUE(parse_trace_parent(text)) << text;
        EXPECT_EQ(parse_trace_parent(text)->is_sampled, is_sampled) << text;
    }
}

TEST(TraceParent, Of_a_later_version_the_known_part_is_read) {
    const std::string later = "cc" + std::string(kSampled.substr(2)) + "-what-may-come";
    EXPECT_EQ(parse_trace_parent(later), parse_trace_parent(kSampled));
}

TEST(TraceParent, What_is_none_is_refused) {
    for (const std::string_view text : {
             "",
             "00",
             "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
             "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0",
             "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
             "cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01.more",
             "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
             "0x-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
             "00-0AF7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
             "00-0af7651916cd43dd8448eb211c80319c-b7ad6b716920333g-01",
             "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0g",
             "00-00000000000000000000000000000000-b7ad6b7169203331-01",
             "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
             "00_0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
             "00-0af7651916cd43dd8448eb211c80319c_b7ad6b7169203331-01",
             "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331_01",
         }) {
        EXPECT_FALSE(parse_trace_parent(text)) << text;
    }
}

}  // namespace

}  // namespace jobstrand::schema
