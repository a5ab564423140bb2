#include "schema/text/time_text.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace jobstrand::schema {
namespace {

using namespace std::chrono_literals;

TimePoint instant(std::string_view text) {
    return parse_instant(text).value();
}

TEST(IsoDuration, Texts_are_read) {
    struct Row {
        std::string_view text;
        IsoDuration expected;
    };
    const std::vector<Row> rows{
        {"P1Y2M3DT4H5M6.789S", {1, 2, 3, 4h + 5min + 6789ms}},
        {"P2W", {0, 0, 14, 0ms}},
        {"P1W1D", {0, 0, 8, 0ms}},
        {"P1M", {0, 1, 0, 0ms}},
        {"PT1M", {0, 0, 0, 1min}},
        {"PT0S", {0, 0, 0, 0ms}},
        {"P0D", {0, 0, 0, 0ms}},
        {"PT36H", {0, 0, 0, 36h}},
        {"PT0.5S", {0, 0, 0, 500ms}},
        {"PT0.0009S", {0, 0, 0, 0ms}},
        {"PT1.2345S", {0, 0, 0, 1234ms}},
        {"P1000Y", {1000, 0, 0, 0ms}},
        {"P365242D", {0, 0, 365242, 0ms}},
        {"PT007S", {0, 0, 0, 7s}},
    };
    for (const Row& row : rows) {
        const auto read = parse_iso_duration(row.text);
        ASSERT_TRUE(read) << row.text << ": " << read.error().message;
        EXPECT_EQ(read.value(), row.expected) << row.text;
    }
}

TEST(IsoDuration, Mistakes_are_refused_where_they_stand) {
    struct Row {
        std::string_view text;
        std::size_t position;
        std::string_view message;
    };
    constexpr std::string_view kDateUnits =
        "expected Y, M, W or D, each once and in this order, or T before hours";
    constexpr std::string_view kTimeUnits = "expected H, M or S, each once and in this order";
    constexpr std::string_view kTooLong = "the duration is longer than 1,000 years";
    constexpr std::string_view kStart = "expected a duration such as PT30S or P1DT12H";
    const std::vector<Row> rows{
        {"", 0, kStart},
        {"5M", 0, kStart},
        {"-PT5M", 0, kStart},
        {"pt5m", 0, kStart},
        {" PT5M", 0, kStart},
        {"P", 1, "expected a number"},
        {"PT", 2, "expected a number"},
        {"P1DT", 4, "expected a number"},
        {"P-1D", 1, "expected a number"},
        {"PT+5M", 2, "expected a number"},
        {"PT5", 3, kTimeUnits},
        {"PT5D", 3, kTimeUnits},
        {"PT5S6M", 5, kTimeUnits},
        {"PT5M6M", 5, kTimeUnits},
        {"PT5M ", 4, "expected a number"},
        {"PT1HT1M", 4, "expected a number"},
        {"P5H", 2, kDateUnits},
        {"P1D1Y", 4, kDateUnits},
        {"P1D1D", 4, kDateUnits},
        {"P1.5D", 2, "only seconds may have a fraction"},
        {"PT1.5H", 3, "only seconds may have a fraction"},
        {"PT1.S", 4, "expected the digits of a fraction"},
        {"PT1,5S", 3, kTimeUnits},
        {"P1001Y", 1, kTooLong},
        {"P1000Y1D", 6, kTooLong},
        {"P1000YT0.001S", 7, kTooLong},
        {"P1000Y0DT1S", 9, kTooLong},
        {"P1YT99999999999999999999999S", 4, kTooLong},
    };
    for (const Row& row : rows) {
        const auto read = parse_iso_duration(row.text);
        ASSERT_FALSE(read) << row.text;
        EXPECT_EQ(read.error().message, row.message) << row.text;
        EXPECT_EQ(read.error().position, row.position) << row.text;
    }
}

TEST(IsoDuration, Months_are_added_in_the_calendar_and_end_with_the_month) {
    struct Row {
        std::string_view start;
        std::string_view duration;
        std::string_view expected;
    };
    const std::vector<Row> rows{
        {"2026-01-31T10:00Z", "P1M", "2026-02-28T10:00Z"},
        {"2028-01-31T10:00Z", "P1M", "2028-02-29T10:00Z"},
        {"2028-02-29", "P1Y", "2029-02-28"},
        {"2026-12-15", "P1M", "2027-01-15"},
        {"2026-10-31", "P1Y1M", "2027-11-30"},
        {"2026-01-31", "P1M1D", "2026-03-01"},
        {"2026-11-20T23:59:59.999Z", "PT0.001S", "2026-11-21"},
        {"2026-11-20T10:15Z", "P1DT2H", "2026-11-21T12:15Z"},
        {"2026-11-20T10:15Z", "PT0S", "2026-11-20T10:15Z"},
    };
    for (const Row& row : rows) {
        const auto duration = parse_iso_duration(row.duration).value();
        EXPECT_EQ(
            format_instant(instant(row.start) + duration), format_instant(instant(row.expected))
        ) << row.start
          << " + " << row.duration;
    }
}

TEST(Duration, A_setting_is_an_iso_duration_or_a_number_of_milliseconds) {
    EXPECT_EQ(parse_duration("PT10S").value(), 10s);
    EXPECT_EQ(parse_duration("P1DT1M").value(), 24h + 1min);
    EXPECT_EQ(parse_duration("P1W").value(), 168h);
    EXPECT_EQ(parse_duration("0").value(), 0ms);
    EXPECT_EQ(parse_duration("10000").value(), 10s);
}

TEST(Duration, Mistakes_in_a_setting_are_refused_where_they_stand) {
    struct Row {
        std::string_view text;
        std::size_t position;
        std::string_view message;
    };
    constexpr std::string_view kNoFixedLength = "years and months have no fixed length; use days";
    const std::vector<Row> rows{
        {"", 0, "expected a number of milliseconds"},
        {"-1", 0, "expected a number of milliseconds"},
        {"10s", 2, "expected the end of the text"},
        {"1.5", 1, "expected the end of the text"},
        {"P1Y", 2, kNoFixedLength},
        {"P1M", 2, kNoFixedLength},
        {"P1D1M", 4, "expected Y, M, W or D, each once and in this order, or T before hours"},
        {"P0Y1DT5M", 2, kNoFixedLength},
        {"99999999999999999999", 0, "the duration is longer than 1,000 years"},
    };
    for (const Row& row : rows) {
        const auto read = parse_duration(row.text);
        ASSERT_FALSE(read) << row.text;
        EXPECT_EQ(read.error().message, row.message) << row.text;
        EXPECT_EQ(read.error().position, row.position) << row.text;
    }
}

TEST(Duration, It_is_written_in_hours_minutes_and_seconds) {
    struct Row {
        Duration duration;
        std::string_view expected;
    };
    const std::vector<Row> rows{
        {0ms, "PT0S"},
        {90500ms, "PT1M30.5S"},
        {1ms, "PT0.001S"},
        {1050ms, "PT1.05S"},
        {24h, "PT24H"},
        {36h + 1s, "PT36H1S"},
        {1h + 1ms, "PT1H0.001S"},
        {-1500ms, "-PT1.5S"},
    };
    for (const Row& row : rows) {
        EXPECT_EQ(format_duration(row.duration), row.expected);
    }
}

TEST(Duration, What_was_written_is_read_back) {
    std::mt19937_64 random(1);
    for (int i = 0; i < 20'000; ++i) {
        const int bits = static_cast<int>(random() % 44);
        const Duration duration{static_cast<std::int64_t>(random() % (std::uint64_t{1} << bits))};
        ASSERT_EQ(parse_duration(format_duration(duration)).value(), duration)
            << format_duration(duration);
    }
}

}  // namespace
}  // namespace jobstrand::schema
