#include "schema/clock.hpp"
#include "schema/text/time_text.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <utility>
#include <vector>

namespace jobstrand::schema {

namespace {

using namespace std::chrono_literals;

constexpr TimePoint kMidnight = std::chrono::sys_days{std::chrono::year{2026} / 11 / 20};

/// A text that cannot be read, and where and why.
struct WrongText {
    std::string_view text;
    std::size_t position;
    std::string_view message;
};

void expect_refused(const auto& parse, std::initializer_list<WrongText> rows) {
    for (const auto& [text, position, message] : rows) {
        const auto read = parse(text);
        ASSERT_FALSE(read) << text;
        EXPECT_EQ(read.error().message, message) << text;
        EXPECT_EQ(read.error().position, position) << text;
    }
}

TEST(Instant, Texts_are_read) {
    const std::pair<std::string_view, TimePoint> rows[]{
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
    for (const auto& [text, expected] : rows) {
        const auto read = parse_instant(text);
        ASSERT_TRUE(read) << text << ": " << read.error().message;
        EXPECT_EQ(read.value(), expected) << text;
    }
}

TEST(Instant, Mistakes_are_refused_where_they_stand) {
    expect_refused(
        parse_instant,
        {
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
        }
    );
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

TimePoint instant(std::string_view text) {
    return parse_instant(text).value();
}

TEST(IsoDuration, Texts_are_read) {
    const std::pair<std::string_view, IsoDuration> rows[]{
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
    for (const auto& [text, expected] : rows) {
        const auto read = parse_iso_duration(text);
        ASSERT_TRUE(read) << text << ": " << read.error().message;
        EXPECT_EQ(read.value(), expected) << text;
    }
}

TEST(IsoDuration, Mistakes_are_refused_where_they_stand) {
    constexpr std::string_view kDateUnits =
        "expected Y, M, W or D, each once and in this order, or T before hours";
    constexpr std::string_view kTimeUnits = "expected H, M or S, each once and in this order";
    constexpr std::string_view kTooLong = "the duration is longer than 1,000 years";
    constexpr std::string_view kStart = "expected a duration such as PT30S or P1DT12H";
    expect_refused(
        parse_iso_duration,
        {
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
        }
    );
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
    constexpr std::string_view kNoFixedLength = "years and months have no fixed length; use days";
    expect_refused(
        parse_duration,
        {
            {"", 0, "expected a number of milliseconds"},
            {"-1", 0, "expected a number of milliseconds"},
            {"10s", 2, "expected the end of the text"},
            {"1.5", 1, "expected the end of the text"},
            {"P1Y", 2, kNoFixedLength},
            {"P1M", 2, kNoFixedLength},
            {"P1D1M", 4, "expected Y, M, W or D, each once and in this order, or T before hours"},
            {"P0Y1DT5M", 2, kNoFixedLength},
            {"99999999999999999999", 0, "the duration is longer than 1,000 years"},
        }
    );
}

TEST(Duration, It_is_written_in_hours_minutes_and_seconds) {
    const std::pair<Duration, std::string_view> rows[]{
        {0ms, "PT0S"},
        {90500ms, "PT1M30.5S"},
        {1ms, "PT0.001S"},
        {1050ms, "PT1.05S"},
        {24h, "PT24H"},
        {36h + 1s, "PT36H1S"},
        {1h + 1ms, "PT1H0.001S"},
        {-1500ms, "-PT1.5S"},
    };
    for (const auto& [duration, expected] : rows) {
        EXPECT_EQ(format_duration(duration), expected);
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

std::string read(std::string_view text) {
    const auto duration = parse_exact_duration(text);
    return duration ? format_duration(duration.value())
                    : std::to_string(duration.error().position) + ": " + duration.error().message;
}

TEST(SpokenDuration, Is_read_as_people_write_it) {
    const std::pair<const char*, const char*> cases[]{
        {"5m", "PT5M"},
        {"500ms", "PT0.5S"},
        {"1h30m", "PT1H30M"},
        {"1h 30m", "PT1H30M"},
        {"1 hour 30 minutes", "PT1H30M"},
        {"90 min", "PT1H30M"},
        {"1.5s", "PT1.5S"},
        {"2d", "PT48H"},
        {"1 week", "PT168H"},
        {"1w2d3h4m5s6ms", "PT219H4M5.006S"},
        {"0s", "PT0S"},
        {"PT5M", "PT5M"},
        {"P1DT12H", "PT36H"},
    };
    for (const auto& [text, expected] : cases) {
        EXPECT_EQ(read(text), expected) << text;
    }
}

TEST(SpokenDuration, Keeps_days_apart_from_hours) {
    const auto days = parse_spoken_duration("1w 1d 2h");
    ASSERT_TRUE(days);
    EXPECT_EQ(days.value(), (IsoDuration{.days = 8, .time = 2h}));
}

TEST(SpokenDuration, Says_what_is_wrong_and_where) {
    const std::string order = "expected w, d, h, m, s or ms, each once and in this order";
    const std::string unit = "a number without a unit: write 5s, 5m or 5h";
    const std::pair<const char*, std::string> cases[]{
        {"", "0: expected a duration such as 5m, 1h30m or PT5M"},
        {"5", "0: " + unit},
        {"1h 30", "3: " + unit},
        {"5x", "1: " + order},
        {"5M", "0: " + unit},
        {"30m1h", "4: " + order},
        {"5m5m", "3: " + order},
        {"-5m", "0: expected a duration such as 5m, 1h30m or PT5M"},
        {"1.5h", "1: only seconds may have a fraction"},
        {"5m and more", "3: expected a duration such as 5m, 1h30m or PT5M"},
        {"9999999w", "0: the duration is longer than 1,000 years"},
        {"999999999999999999999ms", "0: the duration is longer than 1,000 years"},
        {"P1M", "0: years and months have no fixed length; use days"},
    };
    for (const auto& [text, expected] : cases) {
        EXPECT_EQ(read(text), expected) << text;
    }
}

class DatabaseClockTest : public testing::Test {
protected:
    /// The database showed `database_now` in a round trip of this length that has just ended.
    void read(TimePoint database_now, Duration round_trip = 0ms) {
        clock.follow(
            {.database_now = database_now,
             .asked = machine.steady_now() - round_trip,
             .answered = machine.steady_now()}
        );
    }

    schema::ManualClock machine;
    const TimePoint machine_start = machine.now();
    DatabaseClock clock{machine};
};

TEST_F(DatabaseClockTest, Before_the_first_comparison_it_is_the_machines_clock) {
    EXPECT_EQ(clock.now(), machine.now());
    EXPECT_EQ(clock.skew(), 0ms);
}

// I6
TEST_F(DatabaseClockTest, It_shows_the_databases_time_however_wrong_the_machines_is) {
    for (const Duration off : {-10min, 10min}) {
        read(machine.now() + off);
        EXPECT_EQ(clock.now(), machine.now() + off);
        EXPECT_EQ(clock.skew(), -off);
        machine.tick(5s);
        EXPECT_EQ(clock.now(), machine.now() + off);
    }
}

TEST_F(DatabaseClockTest, The_reading_was_taken_in_the_middle_of_the_round_trip) {
    read(machine.now() + 1h, 100ms);
    EXPECT_EQ(clock.now(), machine.now() + 1h + 50ms);
}

TEST_F(DatabaseClockTest, A_slow_round_trip_that_contradicts_nothing_changes_nothing) {
    read(machine.now() + 1h);
    machine.tick(10s);
    read(machine.now() + 1h - 900ms, 1s);
    EXPECT_EQ(clock.now(), machine.now() + 1h);
}

TEST_F(DatabaseClockTest, A_jump_of_the_machines_clock_has_no_effect) {
    read(machine.now());
    machine.set_wall(machine_start - 24h);
    EXPECT_EQ(clock.now(), machine_start);
    EXPECT_EQ(clock.skew(), -24h);
}

TEST_F(DatabaseClockTest, A_jump_of_the_databases_clock_is_followed_at_the_next_comparison) {
    read(machine.now());
    machine.tick(10s);
    read(machine.now() + 1h, 2ms);
    EXPECT_EQ(clock.now(), machine.now() + 1h + 1ms);
    machine.tick(10s);
    read(machine.now() - 1h, 2ms);
    EXPECT_EQ(clock.now(), machine.now() - 1h + 1ms);
}

}  // namespace

}  // namespace jobstrand::schema
