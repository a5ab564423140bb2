#include "timers/cron/cron_expression.hpp"

#include "test/timers/times.hpp"

#include <gtest/gtest.h>

namespace jobstrand::timers {
namespace {

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

INSTANTIATE_TEST_SUITE_P(
    Numbers,
    WrongCronText,
    testing::Values(
        Wrong{"60 0 0 * * ?", 0, "the second must be 0 to 59"},
        Wrong{"0 60 0 * * ?", 2, "the minute must be 0 to 59"},
        Wrong{"0 0 24 * * ?", 4, "the hour must be 0 to 23"},
        Wrong{"0 0 0 0 * ?", 6, "the day of month must be 1 to 31"},
        Wrong{"0 0 0 32 * ?", 6, "the day of month must be 1 to 31"},
        Wrong{"0 0 0 32W * ?", 6, "the day of month must be 1 to 31"},
        Wrong{"0 0 0 * 13 ?", 8, "the month must be 1 to 12"},
        Wrong{"0 0 0 ? * 0", 10, "the day of week must be 1 to 7"},
        Wrong{"0 0 0 ? * 8", 10, "the day of week must be 1 to 7"},
        Wrong{"0 0 * * 8", 8, "the day of week must be 0 to 7"},
        Wrong{"0 0 0 * * ? 1969", 12, "the year must be 1970 to 2199"},
        Wrong{"99999999999999999999 0 0 * * ?", 0, "the second must be 0 to 59"},
        Wrong{"0 0 0 1-32 * ?", 8, "the day of month must be 1 to 31"},
        Wrong{"0 0 0 * * ? 2030-2020", 12, "this range of the year ends before it begins"}
    )
);

INSTANTIATE_TEST_SUITE_P(
    Steps,
    WrongCronText,
    testing::Values(
        Wrong{"/ 0 8-18 ? * 2-6", 1, "expected a number behind '/'"},
        Wrong{"0/ 0 8-18 ? * 2-6", 2, "expected a number behind '/'"},
        Wrong{"/120 0 8-18 ? * 2-6", 1, "a step of the second is at most 59"},
        Wrong{"0/120 0 8-18 ? * 2-6", 2, "a step of the second is at most 59"},
        Wrong{"0 /60 8-18 ? * 2-6", 3, "a step of the minute is at most 59"},
        Wrong{"0 0 /24 ? * 2-6", 5, "a step of the hour is at most 23"},
        Wrong{"0 0 0 /32 * ?", 7, "a step of the day of month is at most 31"},
        Wrong{"0 0 0 ? /13 2-6", 9, "a step of the month is at most 12"},
        Wrong{"0 0 0 ? * /8", 11, "a step of the day of week is at most 7"},
        Wrong{"*/0 * * * * ?", 2, "a step is at least 1"},
        Wrong{
            "0 0 0 ? * MON-FRI/2",
            17,
            "Quartz ignores a step behind a name; write numbers, such as 2-6/2"}
    )
);

INSTANTIATE_TEST_SUITE_P(
    Fields,
    WrongCronText,
    testing::Values(
        Wrong{"", 0, "a cron text has 5 fields (Unix), or 6 or 7 (Quartz), but this one has 0"},
        Wrong{
            "0 0 12 *",
            8,
            "a cron text has 5 fields (Unix), or 6 or 7 (Quartz), but this one has 4"},
        Wrong{
            "0 0 0 * * ? 2030 1",
            0,
            "a cron text has 5 fields (Unix), or 6 or 7 (Quartz), but this one has 8"},
        Wrong{"0 0 12 * * *", 11, kOneQuestionMark},
        Wrong{"0 0 12 15 * MON", 12, kOneQuestionMark},
        Wrong{"0 0 12 ? * ?", 11, "only one of the two day fields may be '?'"},
        Wrong{"? 0 0 * * ?", 0, "expected the second"},
        Wrong{
            "0 12 ? * MON",
            5,
            "'?' is for six fields, which begin with seconds; with five fields write '*'"},
        Wrong{"0 0 L * *", 4, "expected the day of month"},
        Wrong{"@reboot", 0, "expected @hourly, @daily, @weekly, @monthly or @yearly"}
    )
);

INSTANTIATE_TEST_SUITE_P(
    Words,
    WrongCronText,
    testing::Values(
        Wrong{"* * * * Foo ?", 8, "'FOO' does not begin the name of a month"},
        Wrong{"0 0 0 ? * MOX", 10, "'MOX' does not begin the name of a day of week"},
        Wrong{"0 0 0 ? * MO", 10, "'MO' does not begin the name of a day of week"},
        Wrong{"0 0 0 ? * MONDAX", 15, "expected 'Y', to end the name"},
        Wrong{"0 0 0 ? * MON-", 14, "expected the day of week"},
        Wrong{"5x 0 0 * * ?", 1, "unexpected 'X'"},
        Wrong{"*5 0 0 * * ?", 1, "unexpected '5'"},
        Wrong{"5, 0 0 * * ?", 2, "expected the second"},
        Wrong{"1-5-9 0 0 * * ?", 3, "unexpected '-'"},
        Wrong{"5\xC3\xA9 0 0 * * ?", 1, "unexpected character"},
        Wrong{"0 0 0 ?? * MON", 7, "nothing may follow '?'"},
        Wrong{"0 0 0 ?,5 * MON", 7, "nothing may follow '?'"}
    )
);

INSTANTIATE_TEST_SUITE_P(
    SpecialDays,
    WrongCronText,
    testing::Values(
        Wrong{"L 0 0 * * ?", 0, "expected the second"},
        Wrong{"0 0 0 L-31 * ?", 8, "at most 30 days before the last"},
        Wrong{"0 0 0 L- * ?", 8, "expected a number behind 'L-'"},
        Wrong{"0 0 0 W * ?", 6, "expected the day of month"},
        Wrong{"0 0 0 1-5W * ?", 9, "unexpected 'W'"},
        Wrong{"0 43 9 ? * SAT,SUN,L", 19, kNotAlone},
        Wrong{"0 43 9 ? * 6L,SUN", 11, kNotAlone},
        Wrong{"0 43 9 ? * 6#3,2", 11, kNotAlone},
        Wrong{"0 43 9 ? * 6#0", 13, "the number behind '#' must be 1 to 5"},
        Wrong{"0 43 9 ? * 6#6", 13, "the number behind '#' must be 1 to 5"},
        Wrong{"0 43 9 ? * 6#", 13, "expected a number behind '#'"},
        Wrong{"0 43 9 ? * L-3", 12, "unexpected '-'"}
    )
);

TEST(CronExpression, A_text_longer_than_its_column_is_refused) {
    EXPECT_FALSE(parse_cron("0 0 0 * * ?" + std::string(250, ' ')));
}

}  // namespace
}  // namespace jobstrand::timers
