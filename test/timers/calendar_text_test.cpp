#include "timers/calendar/calendar_text.hpp"

#include "test/timers/times.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace jobstrand::timers {
namespace {

Calendar calendar_of(std::string_view text) {
    const auto read = parse_calendar(text);
    EXPECT_TRUE(read) << text << ": " << (read ? "" : read.error().message);
    return read ? read.value().calendar : Calendar{};
}

std::string error_of(std::string_view text) {
    const auto read = parse_calendar(text);
    return read ? "none" : fmt::format("{}: {}", read.error().position, read.error().message);
}

TEST(CalendarText, Every_kind_of_line_excludes_what_it_names) {
    struct Row {
        std::string_view text;
        std::string_view excluded;
        std::string_view included;
    };
    const Row rows[] = {
        {"holidays 2027-03-26 2027-03-29", "2027-03-29T10:00Z", "2028-03-29T10:00Z"},
        {"annual 12-25 01-01", "2030-12-25T23:59:59Z", "2030-12-26T00:00Z"},
        {"weekly SAT sun", "2026-01-04T12:00Z", "2026-01-05T12:00Z"},
        {"monthly 1 31", "2026-01-31T12:00Z", "2026-02-28T12:00Z"},
        {"daily 12:00-13:00", "2026-01-01T13:00Z", "2026-01-01T13:00:00.001Z"},
        {"daily 12:00:01.500-12:00:02", "2026-01-01T12:00:01.500Z", "2026-01-01T12:00:01.499Z"},
        {"daily except 09:00-17:00", "2026-01-01T08:59Z", "2026-01-01T09:00Z"},
        {"cron * * 0-7,18-23 ? * *", "2026-01-01T18:30Z", "2026-01-01T08:00Z"},
        {"zone Europe/Berlin\nweekly SAT", "2026-01-02T23:30Z", "2026-01-03T23:30Z"},
        {" annual 12-25 ; ; weekly SUN ", "2026-01-04T12:00Z", "2026-01-05T12:00Z"},
    };
    for (const Row& row : rows) {
        const Calendar calendar = calendar_of(row.text);
        EXPECT_FALSE(is_included(calendar, at(row.excluded))) << row.text;
        EXPECT_TRUE(is_included(calendar, at(row.included))) << row.text;
    }
}

TEST(CalendarText, What_is_wrong_is_said_with_its_place) {
    EXPECT_EQ(error_of(""), "0: a calendar must exclude something");
    EXPECT_EQ(error_of("zone UTC"), "0: a calendar must exclude something");
    EXPECT_EQ(
        error_of("weekly SAT\nyearly 12-25"),
        "11: expected holidays, annual, weekly, monthly, daily, cron, zone or 'based on'"
    );
    EXPECT_EQ(error_of("weekly SAT SOMEDAY"), "11: expected SUN, MON, TUE, WED, THU, FRI or SAT");
    EXPECT_EQ(
        error_of("weekly MON TUE WED THU FRI SAT SUN"), "7: one day of the week must be left"
    );
    EXPECT_EQ(error_of("holidays 2027-02-29"), "9: there is no such day");
    EXPECT_EQ(error_of("annual"), "6: expected at least one value");
    EXPECT_EQ(error_of("monthly 32"), "8: the day must be 1 to 31");
    EXPECT_EQ(error_of("daily 13:00-12:00"), "6: the end must not be before the begin");
    EXPECT_EQ(error_of("daily except 13:00"), "18: expected '-' and the end");
    EXPECT_EQ(error_of("based upon x"), "6: expected 'on' and the name of a calendar");
    EXPECT_NE(error_of("zone Mars/Olympus\nweekly SAT"), "none");
    EXPECT_NE(error_of("cron * * * * * *"), "none");
}

TEST(CalendarText, A_calendar_excludes_what_those_that_it_is_based_on_exclude) {
    const schema::CalendarTexts texts{
        {"firm", "based on country; annual 12-24"},
        {"country", "based on weekend\nannual 12-25"},
        {"weekend", "weekly SAT SUN"},
    };
    const auto firm = find_calendar("firm", texts);
    ASSERT_TRUE(firm);
    for (const char* day : {"2026-12-24T10:00Z", "2026-12-25T10:00Z", "2026-12-26T10:00Z"}) {
        EXPECT_FALSE(is_included(firm.value(), at(day))) << day;
    }
    EXPECT_TRUE(is_included(firm.value(), at("2026-12-28T10:00Z")));
}

TEST(CalendarText, A_calendar_must_not_be_missing_wrong_or_based_on_itself) {
    const schema::CalendarTexts texts{
        {"a", "based on b"},
        {"b", "based on a"},
        {"lost", "based on nothing"},
        {"wrong", "weekly"},
    };
    const auto error = [&](std::string_view name) {
        return find_calendar(name, texts).error().message;
    };
    EXPECT_EQ(error("a"), "the calendar \"a\" is based on itself");
    EXPECT_EQ(error("lost"), "there is no calendar \"nothing\"");
    EXPECT_EQ(error("wrong"), "calendar \"wrong\": expected at least one value");
}

/// `c0`, and as many more, each based on the one before it.
schema::CalendarTexts chain_of(std::size_t bases) {
    schema::CalendarTexts texts{{"c0", "weekly SUN"}};
    for (std::size_t i = 1; i <= bases; ++i) {
        texts.emplace(fmt::format("c{}", i), fmt::format("based on c{}", i - 1));
    }
    return texts;
}

TEST(CalendarText, A_calendar_is_based_on_sixteen_others_at_most) {
    const schema::CalendarTexts texts = chain_of(kMostBases + 1);
    EXPECT_EQ(find_calendar("c16", texts).value().exclusions.size(), 1U);
    EXPECT_EQ(
        find_calendar("c17", texts).error().message,
        "calendar \"c17\": based on more than 16 others"
    );
}

TEST(CalendarText, A_calendar_hangs_on_itself_and_on_what_it_is_based_on) {
    const schema::CalendarTexts texts{
        {"firm", "based on country; annual 12-24"},
        {"country", "based on weekend"},
        {"weekend", "weekly SAT SUN"},
        {"other", "weekly SUN"},
        {"a", "based on b"},
        {"b", "based on a"},
        {"lost", "based on nothing"},
        {"wrong", "based on weekend; weekly"},
    };
    struct Row {
        std::string_view name;
        std::string_view base;
        bool hangs;
    };
    const Row rows[] = {
        {"weekend", "weekend", true},
        {"country", "weekend", true},
        {"firm", "weekend", true},
        {"firm", "country", true},
        {"country", "firm", false},
        {"other", "weekend", false},
        {"a", "b", true},
        {"b", "a", true},
        {"a", "weekend", false},
        {"lost", "nothing", true},
        {"lost", "weekend", false},
        {"wrong", "weekend", false},
        {"unknown", "weekend", false},
        {"", "weekend", false},
    };
    for (const Row& row : rows) {
        EXPECT_EQ(hangs_on(row.name, row.base, texts), row.hangs) << row.name << " " << row.base;
    }
    EXPECT_TRUE(hangs_on("c16", "c0", chain_of(16)));
}

}  // namespace
}  // namespace jobstrand::timers
