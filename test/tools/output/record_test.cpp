#include "tools/output/record.hpp"

#include "schema/text/time_text.hpp"
#include "tools/text/typing_errors.hpp"

#include <gtest/gtest.h>

namespace jobstrand::cli {
namespace {

TEST(Record, Is_one_json_object_on_one_line) {
    EXPECT_EQ(json_of({}), "{}");
    EXPECT_EQ(
        json_of(
            {text_field("id", "a\"b\nc"),
             text_or_null_field("owner", ""),
             number_field("retries", -3),
             flag_field("exclusive", true)}
        ),
        R"({"id":"a\"b\nc","owner":null,"retries":-3,"exclusive":true})"
    );
}

TEST(Record, An_empty_text_and_no_text_are_told_apart_in_json_only) {
    EXPECT_EQ(text_field("payload", "").json, "\"\"");
    EXPECT_EQ(text_or_null_field("payload", "").json, "null");
    EXPECT_EQ(text_field("payload", "").text, text_or_null_field("payload", "").text);
}

TEST(Record, The_ends_of_the_numbers_are_written_out) {
    EXPECT_EQ(
        number_field("n", std::numeric_limits<std::int64_t>::min()).json, "-9223372036854775808"
    );
    EXPECT_EQ(
        number_field("n", std::numeric_limits<std::int64_t>::max()).text, "9223372036854775807"
    );
}

TEST(TimeField, Is_utc_to_the_millisecond_or_on_the_clock_of_its_zone) {
    const auto time = schema::parse_instant("2026-07-01T10:00:00Z").value();
    EXPECT_EQ(time_field("due", time).json, "\"2026-07-01T10:00:00.000Z\"");
    const auto berlin = timers::Zone::find("Europe/Berlin").value();
    EXPECT_EQ(time_field("due", time, berlin).text, "2026-07-01T12:00:00+02:00");
    EXPECT_EQ(time_field("due", std::nullopt).json, "null");
    EXPECT_EQ(time_field("due", std::nullopt, berlin).text, "");
}

TEST(MarkedText, Points_at_the_character_and_not_at_the_byte) {
    EXPECT_EQ(
        with_place("R3/x", {"expected a duration", 3}), "at character 4: expected a duration"
    );
    EXPECT_EQ(with_place("\xc3\xa4\xc3\xb6x", {"no", 4}), "at character 3: no");
    EXPECT_EQ(
        with_mark("R3/x", {"expected a duration", 3}),
        "at character 4: expected a duration\n  R3/x\n     ^"
    );
    EXPECT_EQ(with_mark("\xc3\xa4x", {"no", 2}), "at character 2: no\n  \xc3\xa4x\n   ^");
}

TEST(MarkedText, Points_behind_a_text_that_ends_too_early) {
    EXPECT_EQ(with_mark("R3", {"expected '/'", 2}), "at character 3: expected '/'\n  R3\n    ^");
    EXPECT_EQ(with_mark("", {"expected a text", 0}), "at character 1: expected a text\n  \n  ^");
}

TEST(MarkedText, Does_not_repeat_a_text_that_is_longer_than_a_screen) {
    const std::string longest(200, 'x');
    EXPECT_NE(with_mark(longest, {"no", 0}).find('^'), std::string::npos);
    EXPECT_EQ(with_mark(longest + "x", {"no", 0}), "at character 1: no");
}

TEST(MarkedText, A_terminal_is_shown_no_control_character_of_the_text) {
    const std::string shown = with_mark("a\x1b[31m", {"no", 1});
    EXPECT_EQ(shown.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace jobstrand::cli
