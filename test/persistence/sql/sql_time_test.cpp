#include "persistence/sql/db_error.hpp"
#include "persistence/sql/sql_values.hpp"

#include <gtest/gtest.h>

#include <string>

namespace jobstrand::persistence {
namespace {

schema::TimePoint at_ms(std::int64_t ms) {
    return schema::TimePoint(std::chrono::milliseconds(ms));
}

struct Written {
    std::int64_t ms;
    std::string_view text;
};

TEST(SqlTime, Is_written_in_utc_with_milliseconds) {
    const std::vector<Written> rows{
        {0, "1970-01-01 00:00:00.000"},
        {-1, "1969-12-31 23:59:59.999"},
        {1'700'000'000'123, "2023-11-14 22:13:20.123"},
        {1'709'164'800'007, "2024-02-29 00:00:00.007"},
        {253'402'300'799'999, "9999-12-31 23:59:59.999"},
        {-62'167'219'200'000, "0000-01-01 00:00:00.000"},
    };
    for (const Written& row : rows) {
        EXPECT_EQ(SqlTime(at_ms(row.ms)).text(), row.text);
        EXPECT_EQ(parse_sql_time(row.text), at_ms(row.ms)) << row.text;
    }
}

TEST(SqlTime, Later_times_are_greater_texts) {
    EXPECT_LT(SqlTime(at_ms(999)).text(), SqlTime(at_ms(1000)).text());
    EXPECT_LT(SqlTime(at_ms(-1)).text(), SqlTime(at_ms(0)).text());
}

TEST(SqlTime, A_year_that_no_database_holds_is_refused) {
    for (const std::int64_t ms : {253'402'300'800'000, -62'167'219'200'001}) {
        try {
            const SqlTime time(at_ms(ms));
            FAIL() << time.text();
        } catch (const DbError& error) {
            EXPECT_EQ(error.kind(), DbErrorKind::too_long);
        }
    }
}

TEST(SqlTime, Reading_is_tolerant) {
    const std::vector<Written> rows{
        {1'700'000'000'000, "2023-11-14 22:13:20"},
        {1'700'000'000'000, "2023-11-14T22:13:20"},
        {1'700'000'000'000, "2023-11-14T22:13:20Z"},
        {1'700'000'000'100, "2023-11-14 22:13:20.1"},
        {1'700'000'000'120, "2023-11-14 22:13:20.12"},
        {1'700'000'000'123, "2023-11-14 22:13:20.123"},
        {1'700'000'000'123, "2023-11-14 22:13:20.1239"},
        {1'700'000'000'123, "2023-11-14 22:13:20.123999"},
        {1'700'000'000'123, "2023-11-14T22:13:20.123999999Z"},
        {1'700'000'000'000, "2023-11-14 22:13:20.000999"},
        {1'700'000'000'123, "2023-11-14 22:13:20.1234567890123456789"},
    };
    for (const Written& row : rows) {
        EXPECT_EQ(parse_sql_time(row.text), at_ms(row.ms)) << row.text;
    }
}

// What Python's sqlite3 and others write for a time that knows its zone.
TEST(SqlTime, An_offset_is_taken_from_it) {
    const std::vector<Written> rows{
        {1'700'000'000'000, "2023-11-14 22:13:20+00:00"},
        {1'700'000'000'000, "2023-11-14 22:13:20-00:00"},
        {1'700'000'000'000, "2023-11-14T23:13:20+01:00"},
        {1'700'000'000'000, "2023-11-14 23:13:20+0100"},
        {1'700'000'000'000, "2023-11-14 23:13:20+01"},
        {1'700'000'000'000, "2023-11-14 16:43:20-05:30"},
        {1'700'000'000'123, "2023-11-15 03:43:20.123456+05:30"},
        {1'700'000'000'500, "2023-11-15T03:43:20.5+05:30"},
        {-62'167'219'200'000, "0000-01-01 05:00:00+05:00"},
    };
    for (const Written& row : rows) {
        EXPECT_EQ(parse_sql_time(row.text), at_ms(row.ms)) << row.text;
    }
}

TEST(SqlTime, Other_texts_are_not_times) {
    const std::vector<std::string_view> texts{
        "",
        "now",
        "2023-11-14",
        "2023-11-14 22:13",
        "2023-11-14 22:13:2",
        "2023-11-14_22:13:20",
        "2023-11-14 22.13.20",
        "2023-02-29 00:00:00",
        "2023-13-01 00:00:00",
        "2023-00-01 00:00:00",
        "2023-01-00 00:00:00",
        "2023-01-32 00:00:00",
        "2023-11-14 24:00:00",
        "2023-11-14 22:60:00",
        "2023-11-14 22:13:60",
        "2023-11-14 22:13:-1",
        "2023-11-14 22:13:20.",
        "2023-11-14 22:13:20.x",
        "2023-11-14 22:13:20.+01:00",
        "2023-11-14 22:13:20,5",
        "2023-11-14 22:13:20 ",
        "2023-11-14 22:13:20 +01:00",
        "2023-11-14 22:13:20z",
        "2023-11-14 22:13:20ZZ",
        "2023-11-14 22:13:20+1",
        "2023-11-14 22:13:20+1:00",
        "2023-11-14 22:13:20+01:0",
        "2023-11-14 22:13:20+01-00",
        "2023-11-14 22:13:20+24:00",
        "2023-11-14 22:13:20+01:60",
        "2023-11-14 22:13:20+01:00Z",
        "2023-11-14 22:13:20 Europe/Berlin",
        "2023-11-14 22:13:20 BC",
        "infinity",
        "-infinity",
        "0000-00-00 00:00:00.000",
        "0000-01-01 00:00:00+00:01",
        "9999-12-31 23:59:59-00:01",
        "10000-01-01 00:00:00",
        "20230-1-14 22:13:20",
        "1700000000123",
    };
    for (const std::string_view text : texts) {
        EXPECT_EQ(parse_sql_time(text), std::nullopt) << text;
    }
}

struct Unreadable {
    std::string value;
    std::string message;
};

TEST(UnreadableValue, The_error_shows_the_value_and_what_it_is_not) {
    const std::vector<Unreadable> rows{
        {"", "\"\" is not a time"},
        {"tomorrow", "\"tomorrow\" is not a time"},
        {"a\xFFz", "\"a\xEF\xBF\xBDz\" is not a time"},
        {std::string("a\0z", 3), "\"a\xEF\xBF\xBDz\" is not a time"},
        {std::string(40, 'x'), '"' + std::string(40, 'x') + "\" is not a time"},
        {std::string(41, 'x'), '"' + std::string(40, 'x') + "...\" is not a time"},
    };
    for (const Unreadable& row : rows) {
        const DbError error = unreadable_value(row.value, "a time");
        EXPECT_EQ(error.kind(), DbErrorKind::unreadable);
        EXPECT_EQ(error.what(), row.message);
    }
}

TEST(UnreadableValue, A_time_that_must_be_there_is_one) {
    EXPECT_EQ(require_sql_time("1970-01-01T00:00:00Z"), at_ms(0));
    EXPECT_THROW((void)require_sql_time("1970-01-01"), DbError);
}

}  // namespace
}  // namespace jobstrand::persistence
