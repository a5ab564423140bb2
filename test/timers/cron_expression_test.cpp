#include "timers/cron/cron_expression.hpp"

#include "test/timers/times.hpp"
#include "timers/cron/cron_day_fields.hpp"
#include "timers/cron/cron_days.hpp"
#include "timers/cron/cron_field.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace jobstrand::timers {

namespace {

using std::chrono::April;
using std::chrono::August;
using std::chrono::February;
using std::chrono::Friday;
using std::chrono::January;
using std::chrono::May;
using std::chrono::year_month;
using namespace std::chrono_literals;

constexpr std::array<std::string_view, 7>
    kDays{"SUNDAY", "MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY"};

constexpr CronField kHour{"hour", 0, 23, 24, 23};
constexpr CronField kYear{"year", 1970, 2299, 0, 0};
constexpr CronField kQuartzDay{"day of week", 1, 7, 7, 7, kDays, 1, false};
constexpr CronField kUnixDay{"day of week", 0, 7, 7, 7, kDays, 0};

/// The numbers of a list, or `position: message`.
std::string list_of(std::string_view text, const CronField& field) {
    schema::TextScanner scanner(text);
    const std::vector<int> values = read_cron_list(scanner, field);
    const auto result = scanner.result(0);
    return result ? fmt::format("{}", fmt::join(values, " "))
                  : fmt::format("{}: {}", result.error().position, result.error().message);
}

struct FieldCase {
    std::string_view text;
    std::string_view numbers;
};

TEST(CronField, A_member_is_a_number_a_range_or_either_with_a_step) {
    const FieldCase cases[] = {
        {"3", "3"},
        {"03", "3"},
        {"3-5", "3 4 5"},
        {"3-3", "3"},
        {"3-9/2", "3 5 7 9"},
        {"3-9/4", "3 7"},
        {"3-9/100", "3"},
        {"20/2", "20 22"},
        {"*/8", "0 8 16"},
        {"/8", "0 8 16"},
        {"*", "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23"},
        {"1,5,3", "1 5 3"},
        {"1-3,2-4", "1 2 3 2 3 4"},
    };
    for (const auto& [text, numbers] : cases) {
        EXPECT_EQ(list_of(text, kHour), numbers) << text;
    }
}

TEST(CronField, A_range_that_ends_before_it_begins_goes_round_where_there_is_a_round) {
    EXPECT_EQ(list_of("22-2", kHour), "22 23 0 1 2");
    EXPECT_EQ(list_of("22-2/3", kHour), "22 1");
    EXPECT_EQ(list_of("FRI-MON", kQuartzDay), "6 7 1 2");
    EXPECT_EQ(list_of("2030-2028", kYear), "0: this range of the year ends before it begins");
}

TEST(CronField, In_Unix_texts_seven_is_another_name_of_Sunday) {
    EXPECT_EQ(list_of("7", kUnixDay), "0");
    EXPECT_EQ(list_of("5-7", kUnixDay), "5 6 0");
    EXPECT_EQ(list_of("*", kUnixDay), "0 1 2 3 4 5 6") << "it is counted once";
}

TEST(CronField, A_name_is_its_first_three_letters_or_all_of_them) {
    EXPECT_EQ(list_of("SUN", kQuartzDay), "1");
    EXPECT_EQ(list_of("SUN", kUnixDay), "0");
    EXPECT_EQ(list_of("SATURDAY", kQuartzDay), "7");
    EXPECT_EQ(list_of("MON,WEDNESDAY,FRI", kQuartzDay), "2 4 6");
    EXPECT_EQ(list_of("TUE-THURSDAY", kQuartzDay), "3 4 5");
}

TEST(CronField, What_is_wrong_is_said_with_its_place) {
    const struct {
        std::string_view text;
        const CronField& field;
        std::string_view problem;
    } cases[] = {
        {"", kHour, "0: expected the hour"},
        {"24", kHour, "0: the hour must be 0 to 23"},
        {"99999999999999999999", kHour, "0: the hour must be 0 to 23"},
        {"1-24", kHour, "2: the hour must be 0 to 23"},
        {"1,,2", kHour, "2: expected the hour"},
        {"1,", kHour, "2: expected the hour"},
        {"1-", kHour, "2: expected the hour"},
        {"-1", kHour, "0: expected the hour"},
        {"1/", kHour, "2: expected a number behind '/'"},
        {"1/0", kHour, "2: a step is at least 1"},
        {"*/24", kHour, "2: a step of the hour is at most 23"},
        {"5;", kHour, "1: unexpected ';'"},
        {"5\x01", kHour, "1: unexpected character"},
        {"MON", kHour, "0: expected the hour"},
        {"MO", kQuartzDay, "0: 'MO' does not begin the name of a day of week"},
        {"XYZ", kQuartzDay, "0: 'XYZ' does not begin the name of a day of week"},
        {"MONDX", kQuartzDay, "4: expected 'A', to end the name"},
        {"MON/2", kUnixDay, ""},
        {"MON/2",
         kQuartzDay,
         "3: Quartz ignores a step behind a name; write numbers, such as 2-6/2"},
        {"2-FRI/2",
         kQuartzDay,
         "5: Quartz ignores a step behind a name; write numbers, such as 2-6/2"},
    };
    for (const auto& [text, field, problem] : cases) {
        if (problem.empty()) {
            EXPECT_EQ(list_of(text, field), "1 3 5") << text;
        } else {
            EXPECT_EQ(list_of(text, field), problem) << text;
        }
    }
}

TEST(CronField, A_step_behind_a_range_may_be_longer_than_the_field_as_in_Quartz) {
    EXPECT_EQ(list_of("1-5/30", kHour), "1");
    EXPECT_EQ(list_of("1/30", kHour), "2: a step of the hour is at most 23");
}

TEST(CronField, Ends_at_a_blank_of_any_kind) {
    for (const char blank : {' ', '\t', '\n', '\r'}) {
        const std::string text = std::string("7") + blank + "8";
        schema::TextScanner scanner(text);
        EXPECT_EQ(read_cron_list(scanner, kHour), std::vector<int>{7});
        EXPECT_TRUE(at_field_end(scanner));
        EXPECT_EQ(scanner.position(), 1U);
    }
    EXPECT_FALSE(is_blank('\v')) << "cron texts are cut where Quartz cuts them";
}

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
    const std::pair<std::string_view, bool> cases[]{
        {"*", true}, {"*/2", true}, {"1-31", false}, {"1", false}};
    for (const auto& [text, open] : cases) {
        schema::TextScanner scanner(text);
        EXPECT_EQ(read_unix_days_of_month(scanner).open, open) << text;
    }
}

TEST(CronDayFields, What_is_wrong_with_days_of_the_month_is_said_with_its_place) {
    const std::pair<std::string_view, std::string_view> cases[]{
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
    const std::pair<std::string_view, std::string_view> cases[]{
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

template <std::size_t Size>
std::vector<std::size_t> members(const std::bitset<Size>& set) {
    std::vector<std::size_t> numbers;
    for (std::size_t i = 0; i < Size; ++i) {
        if (set[i]) {
            numbers.push_back(i);
        }
    }
    return numbers;
}

using Numbers = std::vector<std::size_t>;

TEST(CronExpression, Lists_ranges_and_steps_name_their_numbers) {
    EXPECT_EQ(members(cron("0,30,5 * * * * ?").seconds), (Numbers{0, 5, 30}));
    EXPECT_EQ(members(cron("10-14 * * * * ?").seconds), (Numbers{10, 11, 12, 13, 14}));
    EXPECT_EQ(members(cron("*/20 * * * * ?").seconds), (Numbers{0, 20, 40}));
    EXPECT_EQ(members(cron("/20 * * * * ?").seconds), (Numbers{0, 20, 40}));
    EXPECT_EQ(members(cron("7/20 * * * * ?").seconds), (Numbers{7, 27, 47}));
    EXPECT_EQ(members(cron("10-20/4 * * * * ?").seconds), (Numbers{10, 14, 18}));
    EXPECT_EQ(members(cron("10-20/100 * * * * ?").seconds), (Numbers{10}));
    EXPECT_EQ(members(cron("007 * * * * ?").seconds), (Numbers{7}));
}

TEST(CronExpression, Ranges_wrap) {
    EXPECT_EQ(members(cron("0 0 22-2 * * ?").hours), (Numbers{0, 1, 2, 22, 23}));
    EXPECT_EQ(members(cron("0 0 22-2/2 * * ?").hours), (Numbers{0, 2, 22}));
    EXPECT_EQ(members(cron("0 0 0 * NOV-FEB ?").months), (Numbers{1, 2, 11, 12}));
    EXPECT_EQ(members(cron("0 0 0 ? * FRI-MON").days.of_week), (Numbers{0, 1, 5, 6}));
    EXPECT_EQ(members(cron("0 0 0 29-2 * ?").days.of_month), (Numbers{1, 2, 29, 30, 31}));
}

TEST(CronExpression, Names_may_be_small_or_long) {
    EXPECT_EQ(cron("0 0 0 ? jan-Mar mon"), cron("0 0 0 ? 1-3 2"));
    EXPECT_EQ(cron("0 0 0 ? MAY Wednesday,fri"), cron("0 0 0 ? 5 4,6"));
    EXPECT_EQ(cron("0 0 0 ? MAY fril"), cron("0 0 0 ? 5 6L"));
    EXPECT_EQ(cron("0 0 0 ? MAY FRIDAYL"), cron("0 0 0 ? 5 6l"));
    EXPECT_EQ(cron("0 0 0 ? MAY FRI#3"), cron("0 0 0 ? 5 6#3"));
}

TEST(CronExpression, Fields_may_be_apart_by_any_blanks) {
    EXPECT_EQ(cron("  0 0\t0  * *   ? "), cron("0 0 0 * * ?"));
}

TEST(CronExpression, The_days_of_the_week_have_other_numbers_in_Unix_texts) {
    EXPECT_EQ(members(cron("0 0 0 ? * 1").days.of_week), (Numbers{0}));
    EXPECT_EQ(members(cron("0 0 * * 1").days.of_week), (Numbers{1}));
    EXPECT_EQ(members(cron("0 0 * * 0").days.of_week), (Numbers{0}));
    EXPECT_EQ(members(cron("0 0 * * 7").days.of_week), (Numbers{0}));
    EXPECT_EQ(members(cron("0 0 * * 5-7").days.of_week), (Numbers{0, 5, 6}));
    EXPECT_EQ(members(cron("0 0 * * 0-7").days.of_week), (Numbers{0, 1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(members(cron("0 0 * * */2").days.of_week), (Numbers{0, 2, 4, 6}));
    EXPECT_EQ(members(cron("0 0 * * MON-FRI/2").days.of_week), (Numbers{1, 3, 5}));
    EXPECT_EQ(members(cron("0 0 * * 7-2").days.of_week), (Numbers{0, 1, 2}));
}

TEST(CronExpression, Two_restricted_day_fields_of_a_Unix_text_are_alternatives) {
    EXPECT_EQ(cron("0 0 13 * 5").days.rule, CronDays::Rule::either);
    EXPECT_EQ(cron("0 0 * * 5").days.rule, CronDays::Rule::both);
    EXPECT_EQ(cron("0 0 */2 * 5").days.rule, CronDays::Rule::both);
}

TEST(CronExpression, Words_stand_for_Unix_texts) {
    EXPECT_EQ(cron("@hourly"), cron("0 * * * *"));
    EXPECT_EQ(cron("@Daily"), cron("0 0 * * *"));
    EXPECT_EQ(cron("@midnight"), cron("0 0 * * *"));
    EXPECT_EQ(cron("@weekly"), cron("0 0 * * 0"));
    EXPECT_EQ(cron("@monthly"), cron("0 0 1 * *"));
    EXPECT_EQ(cron("@yearly"), cron("0 0 1 1 *"));
    EXPECT_EQ(cron("@annually"), cron("0 0 1 1 *"));
}

TEST(CronExpression, Special_days_of_the_month_may_be_part_of_a_list) {
    const CronDays days = cron("0 0 0 L,LW,L-3,L-5W,15W,10-12 * ?").days;
    EXPECT_EQ(members(days.before_last), (Numbers{0, 3}));
    EXPECT_EQ(members(days.weekday_before_last), (Numbers{0, 5}));
    EXPECT_EQ(members(days.nearest_weekday), (Numbers{15}));
    EXPECT_EQ(members(days.of_month), (Numbers{10, 11, 12}));
}

struct Wrong {
    const char* text;
    std::size_t position;
    const char* message;
};

class WrongCronText : public testing::TestWithParam<Wrong> {};

TEST_P(WrongCronText, Is_refused_with_what_is_wrong_and_where) {
    const auto expression = parse_cron(GetParam().text);
    ASSERT_FALSE(expression) << GetParam().text;
    EXPECT_EQ(expression.error().message, GetParam().message) << GetParam().text;
    EXPECT_EQ(expression.error().position, GetParam().position) << GetParam().text;
}

const char* const kNotAlone = "'L' and '#' cannot be part of a list of days of the week";
const char* const kOneQuestionMark =
    "one of the two day fields must be '?', the day of month or the day of week";

constexpr Wrong kWrongNumbers[] = {
    {"60 0 0 * * ?", 0, "the second must be 0 to 59"},
    {"0 60 0 * * ?", 2, "the minute must be 0 to 59"},
    {"0 0 24 * * ?", 4, "the hour must be 0 to 23"},
    {"0 0 0 0 * ?", 6, "the day of month must be 1 to 31"},
    {"0 0 0 32 * ?", 6, "the day of month must be 1 to 31"},
    {"0 0 0 32W * ?", 6, "the day of month must be 1 to 31"},
    {"0 0 0 * 13 ?", 8, "the month must be 1 to 12"},
    {"0 0 0 ? * 0", 10, "the day of week must be 1 to 7"},
    {"0 0 0 ? * 8", 10, "the day of week must be 1 to 7"},
    {"0 0 * * 8", 8, "the day of week must be 0 to 7"},
    {"0 0 0 * * ? 1969", 12, "the year must be 1970 to 2199"},
    {"99999999999999999999 0 0 * * ?", 0, "the second must be 0 to 59"},
    {"0 0 0 1-32 * ?", 8, "the day of month must be 1 to 31"},
    {"0 0 0 * * ? 2030-2020", 12, "this range of the year ends before it begins"},
};
INSTANTIATE_TEST_SUITE_P(Numbers, WrongCronText, testing::ValuesIn(kWrongNumbers));

constexpr Wrong kWrongSteps[] = {
    {"/ 0 8-18 ? * 2-6", 1, "expected a number behind '/'"},
    {"0/ 0 8-18 ? * 2-6", 2, "expected a number behind '/'"},
    {"/120 0 8-18 ? * 2-6", 1, "a step of the second is at most 59"},
    {"0/120 0 8-18 ? * 2-6", 2, "a step of the second is at most 59"},
    {"0 /60 8-18 ? * 2-6", 3, "a step of the minute is at most 59"},
    {"0 0 /24 ? * 2-6", 5, "a step of the hour is at most 23"},
    {"0 0 0 /32 * ?", 7, "a step of the day of month is at most 31"},
    {"0 0 0 ? /13 2-6", 9, "a step of the month is at most 12"},
    {"0 0 0 ? * /8", 11, "a step of the day of week is at most 7"},
    {"*/0 * * * * ?", 2, "a step is at least 1"},
    {"0 0 0 ? * MON-FRI/2",
     17,
     "Quartz ignores a step behind a name; write numbers, such as 2-6/2"},
};
INSTANTIATE_TEST_SUITE_P(Steps, WrongCronText, testing::ValuesIn(kWrongSteps));

constexpr Wrong kWrongFields[] = {
    {"", 0, "a cron text has 5 fields (Unix), or 6 or 7 (Quartz), but this one has 0"},
    {"0 0 12 *", 8, "a cron text has 5 fields (Unix), or 6 or 7 (Quartz), but this one has 4"},
    {"0 0 0 * * ? 2030 1",
     0,
     "a cron text has 5 fields (Unix), or 6 or 7 (Quartz), but this one has 8"},
    {"0 0 12 * * *", 11, kOneQuestionMark},
    {"0 0 12 15 * MON", 12, kOneQuestionMark},
    {"0 0 12 ? * ?", 11, "only one of the two day fields may be '?'"},
    {"? 0 0 * * ?", 0, "expected the second"},
    {"0 12 ? * MON",
     5,
     "'?' is for six fields, which begin with seconds; with five fields write '*'"},
    {"0 0 L * *", 4, "expected the day of month"},
    {"@reboot", 0, "expected @hourly, @daily, @weekly, @monthly or @yearly"},
};
INSTANTIATE_TEST_SUITE_P(Fields, WrongCronText, testing::ValuesIn(kWrongFields));

constexpr Wrong kWrongWords[] = {
    {"* * * * Foo ?", 8, "'FOO' does not begin the name of a month"},
    {"0 0 0 ? * MOX", 10, "'MOX' does not begin the name of a day of week"},
    {"0 0 0 ? * MO", 10, "'MO' does not begin the name of a day of week"},
    {"0 0 0 ? * MONDAX", 15, "expected 'Y', to end the name"},
    {"0 0 0 ? * MON-", 14, "expected the day of week"},
    {"5x 0 0 * * ?", 1, "unexpected 'X'"},
    {"*5 0 0 * * ?", 1, "unexpected '5'"},
    {"5, 0 0 * * ?", 2, "expected the second"},
    {"1-5-9 0 0 * * ?", 3, "unexpected '-'"},
    {"5\xC3\xA9 0 0 * * ?", 1, "unexpected character"},
    {"0 0 0 ?? * MON", 7, "nothing may follow '?'"},
    {"0 0 0 ?,5 * MON", 7, "nothing may follow '?'"},
};
INSTANTIATE_TEST_SUITE_P(Words, WrongCronText, testing::ValuesIn(kWrongWords));

constexpr Wrong kWrongSpecialDays[] = {
    {"L 0 0 * * ?", 0, "expected the second"},
    {"0 0 0 L-31 * ?", 8, "at most 30 days before the last"},
    {"0 0 0 L- * ?", 8, "expected a number behind 'L-'"},
    {"0 0 0 W * ?", 6, "expected the day of month"},
    {"0 0 0 1-5W * ?", 9, "unexpected 'W'"},
    {"0 43 9 ? * SAT,SUN,L", 19, kNotAlone},
    {"0 43 9 ? * 6L,SUN", 11, kNotAlone},
    {"0 43 9 ? * 6#3,2", 11, kNotAlone},
    {"0 43 9 ? * 6#0", 13, "the number behind '#' must be 1 to 5"},
    {"0 43 9 ? * 6#6", 13, "the number behind '#' must be 1 to 5"},
    {"0 43 9 ? * 6#", 13, "expected a number behind '#'"},
    {"0 43 9 ? * L-3", 12, "unexpected '-'"},
};
INSTANTIATE_TEST_SUITE_P(SpecialDays, WrongCronText, testing::ValuesIn(kWrongSpecialDays));

TEST(CronExpression, A_text_longer_than_its_column_is_refused) {
    EXPECT_FALSE(parse_cron("0 0 0 * * ?" + std::string(250, ' ')));
}

}  // namespace

}  // namespace jobstrand::timers
