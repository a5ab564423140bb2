#include "schema/text/time_text.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace jobstrand::schema {
namespace {

using namespace std::chrono_literals;

constexpr TimePoint kMidnight = std::chrono::sys_days{std::chrono::year{2026} / 11 / 20};

TEST(Instant, Texts_are_read) {
    struct Row {
        std::string_view text;
        TimePoint expected;
    };
    const std::vector<Row> rows{
        {"2026-11-20T10:15:30.123Z", kMidnight + 10h + 15min + 30123ms},
        {"2026-11-20T10:15:30Z", kMidnight + 10h + 15min + 30s},
        {"2026-11-20T10:15Z", kMidnight + 10h + 15min},
        {"2026-11-20", kMidnight},
        {"2026-11-20T00:00:00.5Z", kMidnight + 500ms},
        {"2026-11-20T00:00:00.1239999Z", kMidnight + 123ms},
        {"2026-11-20T10:15:30+01:00", kMidnight + 9h + 15min + 30s},
        {"2026-11-20T10:15-05:30", kMidnight + 15h + 45min},
        {"2026-11-19T23:30-00:30", kMidnight},
        {"2028-02-29", std::chrono::sys_days{std::chrono::year{2028} / 2 / 29}},
        {"2000-02-29", std::chrono::sys_days{std::chrono::year{2000} / 2 / 29}},
        {"1970-01-01T00:00Z", kEarliestInstant},
        {"9999-12-31T23:59:59.999Z", kLatestInstant},
    };
    for (const Row& row : rows) {
        const auto read = parse_instant(row.text);
        ASSERT_TRUE(read) << row.text << ": " << read.error().message;
        EXPECT_EQ(read.value(), row.expected) << row.text;
    }
}

TEST(Instant, Mistakes_are_refused_where_they_stand) {
    struct Row {
        std::string_view text;
        std::size_t position;
        std::string_view message;
    };
    const std::vector<Row> rows{
        {"", 0, "expected 4 digits for the year"},
        {"tomorrow", 0, "expected 4 digits for the year"},
        {"26-11-20", 2, "expected 4 digits for the year"},
        {"1969-12-31", 0, "the year must be 1970 to 9999"},
        {"12026-11-20", 0, "the year must be 1970 to 9999"},
        {"20261-11-20", 4, "expected '-' before the month"},
        {"2026/11/20", 4, "expected '-' before the month"},
        {"2026-1-20", 6, "expected 2 digits for the month"},
        {"2026-13-01", 5, "the month must be 1 to 12"},
        {"2026-00-01", 5, "the month must be 1 to 12"},
        {"2026-11", 7, "expected '-' before the day"},
        {"2026-11-00", 8, "the day must be 1 to 31"},
        {"2026-02-30", 8, "the month has no such day"},
        {"2026-02-29T10:00Z", 8, "the month has no such day"},
        {"2100-02-29", 8, "the month has no such day"},
        {"2026-04-31", 8, "the month has no such day"},
        {"2026-11-20Z", 10, "expected the end of the text"},
        {"2026-11-20 10:15Z", 10, "expected the end of the text"},
        {"2026-11-20T", 11, "expected 2 digits for the hour"},
        {"2026-11-20T24:00Z", 11, "the hour must be 0 to 23"},
        {"2026-11-20T10Z", 13, "expected ':' before the minute"},
        {"2026-11-20T10:60Z", 14, "the minute must be 0 to 59"},
        {"2026-11-20T23:59:60Z", 17, "the second must be 0 to 59"},
        {"2026-11-20T10:15:30.Z", 20, "expected the digits of a fraction"},
        {"2026-11-20T10:15:30,5Z", 19, "expected Z or an offset such as +01:00"},
        {"2026-11-20T10:15", 16, "expected Z or an offset such as +01:00"},
        {"2026-11-20T10:15+1", 18, "expected 2 digits for the hours of the offset"},
        {"2026-11-20T10:15+0100", 19, "expected ':' in the offset"},
        {"2026-11-20T10:15+24:00", 17, "the hours of the offset must be 0 to 23"},
        {"2026-11-20T10:15+01:60", 20, "the minutes of the offset must be 0 to 59"},
        {"2026-11-20T10:15ZZ", 17, "expected the end of the text"},
        {"1970-01-01T00:00+01:00", 0, "the year in UTC must be 1970 to 9999"},
        {"9999-12-31T23:59-01:00", 0, "the year in UTC must be 1970 to 9999"},
    };
    for (const Row& row : rows) {
        const auto read = parse_instant(row.text);
        ASSERT_FALSE(read) << row.text;
        EXPECT_EQ(read.error().message, row.message) << row.text;
        EXPECT_EQ(read.error().position, row.position) << row.text;
    }
}

TEST(Instant, It_is_written_in_utc_with_milliseconds) {
    EXPECT_EQ(format_instant(kMidnight + 10h + 15min + 30007ms), "2026-11-20T10:15:30.007Z");
    EXPECT_EQ(format_instant(kEarliestInstant), "1970-01-01T00:00:00.000Z");
    EXPECT_EQ(format_instant(kLatestInstant), "9999-12-31T23:59:59.999Z");
}

TEST(Instant, What_was_written_is_read_back) {
    std::mt19937_64 random(1);
    std::uniform_int_distribution<std::int64_t> any(0, kLatestInstant.time_since_epoch().count());
    for (int i = 0; i < 20'000; ++i) {
        const TimePoint instant{Duration{any(random)}};
        ASSERT_EQ(parse_instant(format_instant(instant)).value(), instant)
            << format_instant(instant);
    }
}

}  // namespace
}  // namespace jobstrand::schema
