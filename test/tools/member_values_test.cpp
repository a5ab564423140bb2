#include "schema/text/time_text.hpp"
#include "tools/text/json_text.hpp"

#include <gtest/gtest.h>

namespace jobstrand::cli {
namespace {

using namespace std::chrono_literals;

TEST(MemberValues, A_text_is_a_json_string_with_its_escapes) {
    std::string text;
    EXPECT_EQ(read_text(R"("a\u00e4\n\"b\"")", text), "");
    EXPECT_EQ(text, "a\xc3\xa4\n\"b\"");
    for (const std::string_view value : {"7", "true", "null", "{}", "[]"}) {
        text = "before";
        EXPECT_EQ(read_text(value, text), "must be a string") << value;
        EXPECT_EQ(text, "before") << "what is wrong changes nothing";
    }
}

TEST(MemberValues, A_flag_is_true_or_false_as_json_writes_them) {
    bool flag = false;
    EXPECT_EQ(read_flag("true", flag), "");
    EXPECT_TRUE(flag);
    EXPECT_EQ(read_flag("false", flag), "");
    EXPECT_FALSE(flag);
    for (const std::string_view value : {"1", "0", "\"true\"", "True", "null", ""}) {
        flag = true;
        EXPECT_EQ(read_flag(value, flag), "must be true or false") << value;
        EXPECT_TRUE(flag);
    }
}

TEST(MemberValues, A_whole_number_lies_within_its_bounds) {
    std::int64_t number = 0;
    for (const auto& [value, expected] :
         {std::pair{"0", 0}, {"7", 7}, {"-3", -3}, {"10", 10}, {"-10", -10}}) {
        EXPECT_EQ(read_whole_number(value, -10, 10, number), "") << value;
        EXPECT_EQ(number, expected);
    }
    number = 5;
    for (const std::string_view value :
         {"11",
          "-11",
          "1.0",
          "1e1",
          "\"1\"",
          "",
          "null",
          "+1",
          " 1",
          "1 ",
          "0x1",
          "99999999999999999999999"}) {
        EXPECT_EQ(read_whole_number(value, -10, 10, number), "must be a whole number, -10 to 10")
            << value;
        EXPECT_EQ(number, 5);
    }
}

TEST(MemberValues, The_largest_numbers_are_read_exactly) {
    std::int64_t number = 0;
    constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
    constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
    EXPECT_EQ(read_whole_number("9223372036854775807", kLeast, kMost, number), "");
    EXPECT_EQ(number, kMost);
    EXPECT_EQ(read_whole_number("-9223372036854775808", kLeast, kMost, number), "");
    EXPECT_EQ(number, kLeast);
    EXPECT_NE(read_whole_number("9223372036854775808", kLeast, kMost, number), "");
}

TEST(MemberValues, An_instant_is_a_text_in_iso_8601) {
    std::optional<schema::TimePoint> instant;
    EXPECT_EQ(read_instant("\"2026-01-01T10:00:00+01:00\"", instant), "");
    EXPECT_EQ(instant, schema::parse_instant("2026-01-01T09:00:00Z").value());
    const auto before = instant;
    for (const std::string_view value : {"1767258000", "\"tomorrow\"", "\"\"", "null"}) {
        EXPECT_NE(read_instant(value, instant), "") << value;
        EXPECT_EQ(instant, before);
    }
}

TEST(MemberValues, A_duration_is_a_text_too_also_where_it_is_milliseconds) {
    std::optional<schema::Duration> duration;
    EXPECT_EQ(read_duration("\"PT1M\"", duration), "");
    EXPECT_EQ(duration, 1min);
    EXPECT_EQ(read_duration("\"1500\"", duration), "");
    EXPECT_EQ(duration, 1500ms);
    for (const std::string_view value : {"1500", "\"P1M\"", "\"soon\"", "true"}) {
        EXPECT_NE(read_duration(value, duration), "") << value;
        EXPECT_EQ(duration, 1500ms);
    }
}

}  // namespace
}  // namespace jobstrand::cli
