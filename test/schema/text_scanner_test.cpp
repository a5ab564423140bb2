#include "schema/text/parsing.hpp"

#include <gtest/gtest.h>

#include <string>

namespace jobstrand::schema {
namespace {

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
    const struct {
        std::string_view text;
        std::int64_t number;
    } cases[] = {
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
    const struct {
        std::string_view text;
        std::int64_t milliseconds;
    } cases[] = {
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

}  // namespace
}  // namespace jobstrand::schema
