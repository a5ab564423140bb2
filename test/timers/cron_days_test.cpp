#include "timers/cron/cron_days.hpp"

#include "timers/cron/cron_day_fields.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace jobstrand::timers {
namespace {

using namespace std::chrono_literals;
using std::chrono::April;
using std::chrono::August;
using std::chrono::February;
using std::chrono::Friday;
using std::chrono::January;
using std::chrono::May;
using std::chrono::year_month;

std::string days_in(const CronDays& days, year_month month) {
    std::vector<std::size_t> numbers;
    const std::bitset<32> named = days.in(month);
    for (std::size_t day = 0; day < named.size(); ++day) {
        if (named[day]) {
            numbers.push_back(day);
        }
    }
    return numbers.empty() ? "none" : fmt::format("{}", fmt::join(numbers, " "));
}

using Reader = CronDayField (*)(schema::TextScanner&);

/// The days of `month` that the text of one field names, or `position: message`.
std::string days_of(std::string_view text, year_month month, Reader read, CronDays::Rule rule) {
    schema::TextScanner scanner(text);
    CronDayField field = read(scanner);
    const auto result = scanner.result(0);
    if (!result) {
        return fmt::format("{}: {}", result.error().position, result.error().message);
    }
    field.days.rule = rule;
    return days_in(field.days, month);
}

std::string quartz_month_days(std::string_view text, year_month month) {
    return days_of(text, month, read_quartz_days_of_month, CronDays::Rule::of_month);
}

std::string quartz_week_days(std::string_view text, year_month month) {
    return days_of(text, month, read_quartz_days_of_week, CronDays::Rule::of_week);
}

// 2026: February begins on a Sunday and has four weeks; August begins on a Saturday; May ends on a
// Sunday, January on a Saturday.
constexpr year_month kFebruary = 2026y / February;
constexpr year_month kAugust = 2026y / August;
constexpr year_month kMay = 2026y / May;
constexpr year_month kJanuary = 2026y / January;
constexpr year_month kLeapFebruary = 2028y / February;

struct DaysCase {
    std::string_view text;
    year_month month;
    std::string_view days;
};

TEST(CronDays, Of_the_month_count_from_its_begin_or_from_its_end) {
    const DaysCase cases[] = {
        {"1,15", kFebruary, "1 15"},
        {"28-31", kFebruary, "28"},
        {"28-31", kLeapFebruary, "28 29"},
        {"30", kFebruary, "none"},
        {"L", kFebruary, "28"},
        {"L", kLeapFebruary, "29"},
        {"L-3", kAugust, "28"},
        {"L-30", kAugust, "1"},
        {"L-30", kFebruary, "none"},
        {"1,L", kMay, "1 31"},
        {"*/10", kMay, "1 11 21 31"},
    };
    for (const auto& [text, month, days] : cases) {
        EXPECT_EQ(quartz_month_days(text, month), days) << text;
    }
}

TEST(CronDays, The_nearest_weekday_never_leaves_the_month) {
    const DaysCase cases[] = {
        {"15W", kJanuary, "15"},  // A Thursday.
        {"10W", kJanuary, "9"},   // A Saturday.
        {"11W", kJanuary, "12"},  // A Sunday.
        {"1W", kAugust, "3"},     // A Saturday with no Friday before it.
        {"1W", kFebruary, "2"},   // A Sunday.
        {"31W", kMay, "29"},      // A Sunday with no Monday behind it.
        {"31W", kJanuary, "30"},  // A Saturday.
        {"31W", kFebruary, "none"},
        {"LW", kMay, "29"},
        {"LW", kJanuary, "30"},
        {"LW", kAugust, "31"},
        {"L-1W", kMay, "29"},  // Saturday 30th.
        {"1W,15", kAugust, "3 15"},
    };
    for (const auto& [text, month, days] : cases) {
        EXPECT_EQ(quartz_month_days(text, month), days) << text;
    }
}

TEST(CronDays, Of_the_week_count_from_Sunday) {
    const DaysCase cases[] = {
        {"1", kFebruary, "1 8 15 22"},
        {"SAT", kFebruary, "7 14 21 28"},
        {"MON-FRI", kFebruary, "2 3 4 5 6 9 10 11 12 13 16 17 18 19 20 23 24 25 26 27"},
        {"L", kFebruary, "7 14 21 28"},  // Saturday, as in Quartz.
        {"6L", kFebruary, "27"},
        {"FRIL", kMay, "29"},
        {"1L", kMay, "31"},
        {"2#1", kFebruary, "2"},
        {"6#3", kAugust, "21"},
        {"1#5", kMay, "31"},
        {"1#5", kFebruary, "none"},
    };
    for (const auto& [text, month, days] : cases) {
        EXPECT_EQ(quartz_week_days(text, month), days) << text;
    }
}

TEST(CronDays, Two_fields_are_joined_by_the_rule) {
    CronDays days;
    days.of_month.set(13);
    days.of_week.set(Friday.c_encoding());
    const struct {
        CronDays::Rule rule;
        std::string_view in_february;
        std::string_view in_may;
    } cases[] = {
        {CronDays::Rule::of_month, "13", "13"},
        {CronDays::Rule::of_week, "6 13 20 27", "1 8 15 22 29"},
        {CronDays::Rule::either, "6 13 20 27", "1 8 13 15 22 29"},
        {CronDays::Rule::both, "13", "none"},
    };
    for (const auto& [rule, in_february, in_may] : cases) {
        days.rule = rule;
        EXPECT_EQ(days_in(days, kFebruary), in_february);
        EXPECT_EQ(days_in(days, kMay), in_may);
    }
}

TEST(CronDays, No_day_is_named_that_the_month_does_not_have) {
    CronDays all;
    all.rule = CronDays::Rule::either;
    all.of_month.set();
    all.of_week.set();
    all.before_last.set();
    for (const year_month month : {kFebruary, kLeapFebruary, kMay, 2026y / April}) {
        const unsigned length = static_cast<unsigned>((month / std::chrono::last).day());
        const std::bitset<32> named = all.in(month);
        EXPECT_EQ(named.count(), length);
        EXPECT_FALSE(named[0]);
        EXPECT_TRUE(named[length]);
    }
}

TEST(CronDayFields, A_question_mark_leaves_the_other_field_to_decide_in_Quartz_only) {
    for (const Reader read : {read_quartz_days_of_month, read_quartz_days_of_week}) {
        schema::TextScanner scanner("? ");
        EXPECT_TRUE(read(scanner).open);
        EXPECT_FALSE(scanner.failed());
    }
    for (const Reader read : {read_unix_days_of_month, read_unix_days_of_week}) {
        schema::TextScanner scanner("?");
        (void)read(scanner);
        EXPECT_NE(scanner.result(0).error().message.find("six fields"), std::string::npos);
    }
}

TEST(CronDayFields, A_star_restricts_nothing_in_Unix_texts_even_with_a_step) {
    const struct {
        std::string_view text;
        bool open;
    } cases[] = {{"*", true}, {"*/2", true}, {"1-31", false}, {"1", false}};
    for (const auto& [text, open] : cases) {
        schema::TextScanner scanner(text);
        EXPECT_EQ(read_unix_days_of_month(scanner).open, open) << text;
    }
}

TEST(CronDayFields, What_is_wrong_with_days_of_the_month_is_said_with_its_place) {
    const struct {
        std::string_view text;
        std::string_view problem;
    } cases[] = {
        {"0", "0: the day of month must be 1 to 31"},
        {"32W", "0: the day of month must be 1 to 31"},
        {"L-31", "2: at most 30 days before the last"},
        {"L-", "2: expected a number behind 'L-'"},
        {"LX", "1: unexpected 'X'"},
        {"?,1", "1: nothing may follow '?'"},
        {"1?", "1: unexpected '?'"},
        {"5W-7", "2: unexpected '-'"},
    };
    for (const auto& [text, problem] : cases) {
        EXPECT_EQ(quartz_month_days(text, kMay), problem) << text;
    }
}

TEST(CronDayFields, What_is_wrong_with_days_of_the_week_is_said_with_its_place) {
    const struct {
        std::string_view text;
        std::string_view problem;
    } cases[] = {
        {"0", "0: the day of week must be 1 to 7"},
        {"8", "0: the day of week must be 1 to 7"},
        {"2#0", "2: the number behind '#' must be 1 to 5"},
        {"2#6", "2: the number behind '#' must be 1 to 5"},
        {"2#", "2: expected a number behind '#'"},
        {"6L,2", "0: 'L' and '#' cannot be part of a list of days of the week"},
        {"2,6#3", "2: 'L' and '#' cannot be part of a list of days of the week"},
        {"L,L", "2: 'L' and '#' cannot be part of a list of days of the week"},
    };
    for (const auto& [text, problem] : cases) {
        EXPECT_EQ(quartz_week_days(text, kMay), problem) << text;
    }
}

}  // namespace
}  // namespace jobstrand::timers
