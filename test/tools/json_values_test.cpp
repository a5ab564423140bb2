#include "schema/limits.hpp"
#include "tools/text/json_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace jobstrand::cli {
namespace {

using namespace std::string_view_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string nested(std::size_t depth, char open = '[', char close = ']') {
    return std::string(depth, open) + std::string(depth, close);
}

TEST(JsonValues, Every_kind_of_value_is_json) {
    for (const char* text :
         {"null",
          "true",
          "false",
          "0",
          "-1.5e-7",
          "12345678901234567890123",
          "\"\"",
          "\"\\ud83d\\ude00\"",
          "[]",
          "{}",
          " [ 1 , {\"a\":[null]} ] ",
          "\n{\"a\":{\"b\":\"c\"}}\r\n"}) {
        EXPECT_EQ(problem_of_json(text), "") << text;
    }
}

TEST(JsonValues, Utf16_is_told_what_it_should_be) {
    EXPECT_THAT(problem_of_json("\xff\xfe{\0}\0"sv), HasSubstr("save it as UTF-8"));
    EXPECT_THAT(problem_of_json("\xfe\xff\0{\0}"sv), HasSubstr("save it as UTF-8"));
}

TEST(JsonValues, What_is_no_json_is_told) {
    for (const std::string_view text :
         {""sv,       " "sv,           "tru"sv,      "01"sv,  "1 2"sv,
          "[1,]"sv,   "{\"a\"}"sv,     "{a:1}"sv,    "'a'"sv, "\"a"sv,
          "\"\t\""sv, "\"\\ud83d\""sv, "\"\xff\""sv, "[1"sv,  "]"sv,
          "NaN"sv,    "1e999"sv,       "// x\n1"sv,  "1\0"sv, "\xEF\xBB\xBF{}"sv}) {
        EXPECT_NE(problem_of_json(text), "") << text;
    }
}

TEST(JsonValues, A_problem_says_where_it_is) {
    EXPECT_THAT(problem_of_json("{\"a\": tru}"), HasSubstr("line 1, column 10"));
    EXPECT_THAT(problem_of_json("[1,\n2,\nx]"), HasSubstr("line 3, column 1"));
}

TEST(JsonValues, A_problem_is_one_short_line_whatever_the_text_is) {
    const std::string problem = problem_of_json('"' + std::string(1'000'000, 'x'));
    EXPECT_THAT(problem, HasSubstr("line 1"));
    EXPECT_LT(problem.size(), 300U);
    EXPECT_EQ(problem_of_json("\x1b[31m").find('\x1b'), std::string::npos);
}

TEST(JsonValues, Nesting_has_a_bound) {
    constexpr std::size_t most = schema::limits::kJsonDepth;
    EXPECT_EQ(problem_of_json(nested(most)), "");
    EXPECT_THAT(problem_of_json(nested(most + 1)), HasSubstr("more than 1000 deep"));
    std::string objects;
    for (std::size_t i = 0; i < most + 1; ++i) {
        objects += "{\"a\":";
    }
    EXPECT_THAT(problem_of_json(objects), HasSubstr("more than 1000 deep"));
}

TEST(JsonValues, Only_what_lies_in_each_other_counts_as_nested) {
    std::string wide = "[";
    for (std::size_t i = 0; i < 2 * schema::limits::kJsonDepth; ++i) {
        wide += "[{}],";
    }
    EXPECT_EQ(problem_of_json(wide + "1]"), "");
}

// A document of 8 MiB of brackets took 800 MB before it was refused.
TEST(JsonValues, Millions_of_brackets_are_refused_at_the_first_too_many) {
    EXPECT_THAT(problem_of_json(std::string(8'000'000, '[')), HasSubstr("more than 1000 deep"));
    EXPECT_FALSE(strings_of(std::string(8'000'000, '[')));
    EXPECT_FALSE(string_of(std::string(8'000'000, '[')));
}

TEST(JsonValues, A_string_is_taken_out_of_its_quotes) {
    EXPECT_EQ(string_of("\"a\\n\\u00e4\"").value(), "a\n\u00e4");
    EXPECT_EQ(string_of(" \"\" ").value(), "");
    for (const char* text :
         {"1", "null", "true", "[\"a\"]", "{\"a\":\"b\"}", "", "\"a", "\"a\" \"b\""}) {
        EXPECT_EQ(string_of(text).error().message, "must be a string") << text;
    }
}

TEST(JsonValues, A_list_of_strings_holds_nothing_else) {
    EXPECT_THAT(strings_of("[\"a\", \"\", \"a\\\"b\"]").value(), ElementsAre("a", "", "a\"b"));
    EXPECT_THAT(strings_of("[]").value(), IsEmpty());
    for (const char* text :
         {"\"a\"",
          "[1]",
          "[\"a\",null]",
          "[\"a\",[\"b\"]]",
          "[[]]",
          "[{}]",
          "{}",
          "{\"a\":\"b\"}",
          "[\"a\"",
          "[\"a\"]]",
          ""}) {
        EXPECT_EQ(strings_of(text).error().message, "must be a list of strings") << text;
    }
}

}  // namespace
}  // namespace jobstrand::cli
