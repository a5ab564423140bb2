#include "timers/calendar/calendar.hpp"

#include "test/timers/times.hpp"
#include "timers/calendar/business_days.hpp"
#include "timers/calendar/calendar_text.hpp"
#include "timers/calendar/wall_timer.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <initializer_list>
#include <optional>
#include <string_view>

namespace jobstrand::timers {

namespace {

using std::chrono::December;
using std::chrono::year;
using namespace std::chrono_literals;

std::string next_included_text(const Calendar& calendar, std::string_view from) {
    SearchBudget budget;
    return text_of(next_included(calendar, at(from), budget));
}

std::string
cron_times(std::string_view text, const Calendar& calendar, std::string_view after, int count) {
    const WallTimer timer{cron(text)};
    std::string texts;
    std::optional<schema::TimePoint> time = at(after);
    for (int i = 0; i < count && time; ++i) {
        time = time_after(timer, *time, &calendar);
        texts += (texts.empty() ? "" : " ") + text_of(time);
    }
    return texts;
}

// The values of C9.
TEST(Calendar, A_week_is_without_Saturday_and_Sunday) {
    const Calendar weekly{{{WeeklyExclusion{}}}};
    EXPECT_EQ(next_included_text(weekly, "2024-06-15T10:00Z"), "2024-06-17T00:00:00Z");
    EXPECT_EQ(next_included_text(weekly, "2024-06-17T10:00Z"), "2024-06-17T10:00:00Z");
}

TEST(Calendar, Days_of_the_month_are_left_out) {
    MonthlyExclusion first_eight;
    for (std::size_t day = 1; day <= 8; ++day) {
        first_eight.days.set(day);
    }
    const Calendar monthly{{{first_eight}}};
    EXPECT_EQ(next_included_text(monthly, "2007-12-08"), "2007-12-09T00:00:00Z");
    EXPECT_TRUE(is_included(monthly, at("2007-12-31T23:59:59.999Z")));
    EXPECT_FALSE(is_included(monthly, at("2008-01-01")));
}

TEST(Calendar, The_seconds_of_a_cron_text_are_left_out) {
    const Calendar office{{{CronExclusion{cron("* * 0-7,18-23 ? * *")}}}};
    EXPECT_EQ(next_included_text(office, "2026-01-01T18:30Z"), "2026-01-02T08:00:00Z");
    EXPECT_EQ(next_included_text(office, "2026-01-01T17:59:59.999Z"), "2026-01-01T17:59:59.999Z");
    const Calendar seconds{{{CronExclusion{cron("0-58 59 23 ? * *")}}}};
    EXPECT_EQ(next_included_text(seconds, "2026-01-01T23:59:03.500Z"), "2026-01-01T23:59:59Z");
}

TEST(Calendar, A_daily_job_leaves_out_a_holiday) {
    const Calendar holidays{{{HolidayExclusion{{year{2026} / December / 25}}}}};
    EXPECT_EQ(
        cron_times("0 0 9 * * ?", holidays, "2026-12-23T09:00Z", 3),
        "2026-12-24T09:00:00Z 2026-12-26T09:00:00Z 2026-12-27T09:00:00Z"
    );
}

TEST(Calendar, Days_of_every_year_are_left_out) {
    const Calendar annual{{{AnnualExclusion{{December / 25, December / 26}}}}};
    EXPECT_EQ(next_included_text(annual, "2030-12-25T10:00Z"), "2030-12-27T00:00:00Z");
    EXPECT_EQ(next_included_text(annual, "2031-12-25T10:00Z"), "2031-12-27T00:00:00Z");
}

TEST(Calendar, A_part_of_the_day_is_left_out_with_both_its_ends) {
    const Calendar night{{{DailyExclusion{22h, 23h}}}};
    EXPECT_TRUE(is_included(night, at("2026-01-01T21:59:59.999Z")));
    EXPECT_FALSE(is_included(night, at("2026-01-01T22:00Z")));
    EXPECT_FALSE(is_included(night, at("2026-01-01T23:00Z")));
    EXPECT_EQ(next_included_text(night, "2026-01-01T22:30Z"), "2026-01-01T23:00:00.001Z");
}

TEST(Calendar, All_but_a_part_of_the_day_is_left_out) {
    const Calendar office{{{DailyExclusion{8h, 18h, true}}}};
    EXPECT_EQ(next_included_text(office, "2026-01-01T03:00Z"), "2026-01-01T08:00:00Z");
    EXPECT_EQ(next_included_text(office, "2026-01-01T08:00Z"), "2026-01-01T08:00:00Z");
    EXPECT_EQ(next_included_text(office, "2026-01-01T18:00:00.001Z"), "2026-01-02T08:00:00Z");
}

TEST(Calendar, One_based_on_another_leaves_out_what_either_does) {
    const Calendar chain{
        {{WeeklyExclusion{}},
         {HolidayExclusion{{year{2026} / 6 / 15}}},
         {DailyExclusion{8h, 18h, true}}}};
    // From a Saturday over the weekend, the holiday and the night.
    EXPECT_EQ(next_included_text(chain, "2026-06-13T10:00Z"), "2026-06-16T08:00:00Z");
}

TEST(Calendar, Days_are_those_of_its_zone) {
    const Calendar weekly{{{WeeklyExclusion{}, zone_named("Asia/Tokyo")}}};
    EXPECT_EQ(next_included_text(weekly, "2024-06-14T15:00Z"), "2024-06-16T15:00:00Z");
    const Calendar skipped{
        {{HolidayExclusion{{year{2011} / 12 / 29}}, zone_named("Pacific/Apia")}}};
    EXPECT_EQ(next_included_text(skipped, "2011-12-29T12:00:00-10:00"), "2011-12-30T10:00:00Z");
}

TEST(Calendar, Changes_of_clocks_are_not_stepped_over) {
    const Zone zone = zone_named("America/New_York");
    // 01:00 to 01:59 comes twice and is excluded twice; 02:00 to 02:59 does not exist in spring.
    const Calendar night{{{DailyExclusion{1h, 2h - 1ms}, zone}}};
    EXPECT_EQ(next_included_text(night, "2021-11-07T01:10:00-04:00"), "2021-11-07T07:00:00Z");
    EXPECT_EQ(next_included_text(night, "2021-03-14T01:10:00-05:00"), "2021-03-14T07:00:00Z");
    const Calendar hours{{{CronExclusion{cron("* * 0,1 ? * *")}, zone_named("America/St_Johns")}}};
    EXPECT_EQ(next_included_text(hours, "2011-03-12T23:59:00-03:30"), "2011-03-13T03:29:00Z");
    EXPECT_EQ(next_included_text(hours, "2011-03-13T00:00:30-03:30"), "2011-03-13T04:30:00Z");
}

TEST(Calendar, Without_exclusions_includes_all) {
    EXPECT_EQ(next_included_text({}, "2024-06-15T10:00Z"), "2024-06-15T10:00:00Z");
}

TEST(Calendar, One_that_excludes_all_answers_none_in_bounded_time) {
    const auto begin = std::chrono::steady_clock::now();
    MonthlyExclusion every_day;
    every_day.days.set();
    const Calendar monthly{{{every_day}}};
    const Calendar weekly{{{WeeklyExclusion{std::bitset<7>{0b0111110}}}, {WeeklyExclusion{}}}};
    for (const Calendar* calendar : {&monthly, &weekly}) {
        EXPECT_EQ(next_included_text(*calendar, "2026-01-01"), "none");
        EXPECT_EQ(cron_times("* * * * * ?", *calendar, "2026-01-01", 1), "none");
    }
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 20s);
}

Calendar excluding(std::initializer_list<std::string_view> texts) {
    Calendar calendar;
    for (const std::string_view text : texts) {
        calendar.exclusions.push_back({CronExclusion{cron(text)}});
    }
    return calendar;
}

TEST(Calendar, A_run_of_excluded_values_of_a_cron_text_is_one_step) {
    struct Row {
        std::string_view text;
        std::string_view from;
        std::string_view included;
    };
    const Row rows[] = {
        {"1-59 * * * * ?", "2026-01-01T10:00:01Z", "2026-01-01T10:01:00Z"},
        {"0-29,40-59 * * * * ?", "2026-01-01T10:00:40.250Z", "2026-01-01T10:01:30Z"},
        {"* 1-59 * * * ?", "2026-01-01T10:01:59.999Z", "2026-01-01T11:00:00Z"},
        {"* 0-9 * * * ?", "2026-01-01T10:03:07Z", "2026-01-01T10:10:00Z"},
        {"* * 1-23 * * ?", "2026-01-01T01:02:03.004Z", "2026-01-02T00:00:00Z"},
        {"* * 8-11,13-17 * * ?", "2026-01-01T09:30Z", "2026-01-01T12:00:00Z"},
        {"* * * 1-10 * ?", "2026-01-05T09:30Z", "2026-01-11T00:00:00Z"},
        {"* * * ? * MON-SAT", "2026-01-05T09:30Z", "2026-01-11T00:00:00Z"},
        {"30 30 12 * * ?", "2026-01-01T12:30:30.999Z", "2026-01-01T12:30:31Z"},
    };
    for (const Row& row : rows) {
        SearchBudget budget;
        EXPECT_EQ(text_of(next_included(excluding({row.text}), at(row.from), budget)), row.included)
            << row.text;
        EXPECT_TRUE(budget.spend(100'000 - 10)) << row.text;
    }
}

TEST(Calendar, The_values_of_several_texts_are_passed_one_run_after_the_other) {
    const Calendar halves = excluding({"0-29 * * * * ?", "30-59 0-58 * * * ?"});
    EXPECT_EQ(next_included_text(halves, "2026-01-01T10:00Z"), "2026-01-01T10:59:30Z");
}

// 19 seconds, in the write transaction, before there was a budget for the whole of a search.
TEST(Calendar, What_cannot_be_found_costs_no_more_than_the_budget) {
    const Calendar calendars[] = {
        excluding({"0-29 * * * * ?", "30-59 * * * * ?"}),
        excluding({"0/2 * * * * ?", "1/2 * * * * ?"}),
        excluding({"* 0/2 * * * ?", "* 1/2 * * * ?"}),
        excluding({"0-58 * * * * ?", "59 0-58 * * * ?", "59 59 0-22 * * ?"}),
        excluding({"* * * ? * MON-FRI", "* * * ? * SAT,SUN"}),
    };
    const auto begin = std::chrono::steady_clock::now();
    for (const Calendar& calendar : calendars) {
        EXPECT_EQ(cron_times("0 * * * * ?", calendar, "2026-01-01", 1), "none");
        EXPECT_EQ(cron_times("17 30 4 29 2 ?", calendar, "2026-01-01", 1), "none");
    }
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 60s) << "milliseconds, when optimised";
}

TEST(Calendar, A_budget_is_spent_once) {
    SearchBudget budget;
    EXPECT_TRUE(budget.spend(99'999));
    EXPECT_TRUE(budget.spend(1));
    EXPECT_FALSE(budget.spend(1));
    const Calendar weekly{{{WeeklyExclusion{}}}};
    EXPECT_EQ(next_included(weekly, at("2024-06-15T10:00Z"), budget), std::nullopt);
    EXPECT_NE(next_included(weekly, at("2024-06-17T10:00Z"), budget), std::nullopt)
        << "what is included already costs nothing";
}

TEST(Calendar, What_a_cron_text_excludes_ends_with_its_last_year) {
    const Calendar every_second{{{CronExclusion{cron("* * * * * ?")}}}};
    EXPECT_EQ(next_included_text(every_second, "2026-01-01"), "2200-01-01T00:00:00Z");
    EXPECT_EQ(cron_times("* * * * * ?", every_second, "2026-01-01", 1), "none");
}

TEST(WallTimer, Leaves_out_a_long_excluded_stretch_at_once) {
    const Calendar weekly{{{WeeklyExclusion{}}}};
    EXPECT_EQ(
        cron_times("* * * * * ?", weekly, "2024-06-14T23:59:58Z", 2),
        "2024-06-14T23:59:59Z 2024-06-17T00:00:00Z"
    );
}

TEST(WallTimer, Fires_from_its_start_to_its_end_both_included) {
    const WallTimer timer{
        .times = cron("0 0 12 * * ?"),
        .start = at("2026-01-02T12:00Z"),
        .end = at("2026-01-03T12:00Z")};
    EXPECT_EQ(text_of(time_after(timer, at("2026-01-01"))), "2026-01-02T12:00:00Z");
    EXPECT_EQ(text_of(time_after(timer, at("2026-01-02T12:00Z"))), "2026-01-03T12:00:00Z");
    EXPECT_EQ(text_of(time_after(timer, at("2026-01-03T12:00Z"))), "none");
}

TEST(BusinessDays, Count_Monday_to_Friday) {
    const auto due = [](std::string_view start, int days) {
        return text_of(add(Zone::utc(), at(start), BusinessDays{days}, weekdays_only(Zone::utc())));
    };
    // 2 January 2026 is a Friday.
    EXPECT_EQ(due("2026-01-02T15:30Z", 1), "2026-01-05T15:30:00Z");
    EXPECT_EQ(due("2026-01-02T15:30Z", 3), "2026-01-07T15:30:00Z");
    EXPECT_EQ(due("2026-01-03T15:30Z", 1), "2026-01-05T15:30:00Z");
    EXPECT_EQ(due("2026-01-02T15:30Z", 10'000), "2064-05-02T15:30:00Z");
}

TEST(BusinessDays, Leave_out_holidays_and_keep_the_time_of_day_of_their_zone) {
    const Zone zone = zone_named("America/New_York");
    Calendar calendar = weekdays_only(zone);
    calendar.exclusions.push_back({HolidayExclusion{{year{2021} / 3 / 15}}, zone});
    // From Friday over the change of clocks and a free Monday.
    EXPECT_EQ(
        text_of(add(zone, at("2021-03-12T09:00:00-05:00"), {1}, calendar), zone),
        "2021-03-16T09:00:00-04:00"
    );
}

TEST(BusinessDays, Of_a_calendar_without_any_there_are_none) {
    const Calendar never{{{WeeklyExclusion{std::bitset<7>{0b1111111}}}}};
    EXPECT_EQ(text_of(add(Zone::utc(), at("2026-01-01"), {1}, never)), "none");
}

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
