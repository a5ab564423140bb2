#include "timers/cycle/timer_expression.hpp"

#include "test/timers/times.hpp"
#include "timers/cycle/due_text.hpp"
#include "timers/series/due_check.hpp"
#include "timers/zone/spoken_time.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace jobstrand::timers {

namespace {

using schema::Series;

std::string times(
    std::string_view text,
    std::string_view after,
    std::size_t count = 3,
    const TimerContext& context = {},
    const Calendar* calendar = nullptr
) {
    const auto expression = parse_timer_expression(text);
    if (!expression) {
        return std::to_string(expression.error().position) + ": " + expression.error().message;
    }
    TimerContext full = context;
    full.calendar = calendar;
    return texts_of(next_times(expression.value(), full, at(after), count), context.zone);
}

struct Example {
    const char* text;
    const char* zone;
    const char* after;
    const char* expected;
};

class ExampleOfGuide : public testing::TestWithParam<Example> {};

TEST_P(ExampleOfGuide, Is_due_as_it_says) {
    const Example& example = GetParam();
    EXPECT_EQ(times(example.text, example.after, 4, {zone_named(example.zone)}), example.expected)
        << example.text;
}

// The timer texts of Flowable's and Camunda's guides.
constexpr Example kGuides[] = {
    {"2011-03-11T12:13:14", "Europe/Berlin", "2011-01-01", "2011-03-11T12:13:14+01:00"},
    {"2011-03-11T12:13:14Z", "Europe/Berlin", "2011-01-01", "2011-03-11T13:13:14+01:00"},
    {"P10D", "UTC", "2026-01-01T10:00Z", "2026-01-11T10:00:00Z"},
    {"P14DT1H30M", "UTC", "2026-01-01", "2026-01-15T01:30:00Z"},
    {"PT5M", "UTC", "2026-01-01", "2026-01-01T00:05:00Z"},
    {"R3/PT10H",
     "UTC",
     "2026-01-01",
     "2026-01-01T10:00:00Z 2026-01-01T20:00:00Z 2026-01-02T06:00:00Z"},
    {"R4/2011-03-11T12:13/PT5M",
     "UTC",
     "2011-01-01",
     "2011-03-11T12:13:00Z 2011-03-11T12:18:00Z 2011-03-11T12:23:00Z 2011-03-11T12:28:00Z"},
    {"R3/PT10H/2026-01-01T12:00Z", "UTC", "2026-01-01", "2026-01-01T10:00:00Z"},
    {"R/2027-01-01T00:00:00Z/P1D",
     "UTC",
     "2027-01-03",
     "2027-01-04T00:00:00Z 2027-01-05T00:00:00Z 2027-01-06T00:00:00Z 2027-01-07T00:00:00Z"},
    {"R5/PT1M",
     "UTC",
     "2026-01-01",
     "2026-01-01T00:01:00Z 2026-01-01T00:02:00Z 2026-01-01T00:03:00Z 2026-01-01T00:04:00Z"},
    {"0 0/5 * * * ?",
     "UTC",
     "2026-01-01T11:50Z",
     "2026-01-01T11:55:00Z 2026-01-01T12:00:00Z 2026-01-01T12:05:00Z 2026-01-01T12:10:00Z"},
};
INSTANTIATE_TEST_SUITE_P(FlowableAndCamunda, ExampleOfGuide, testing::ValuesIn(kGuides));

constexpr Example kIntervalExamples[] = {
    {"2026-01-01T10:00Z/PT10H", "UTC", "2026-01-01", "2026-01-01T20:00:00Z"},
    {"PT10H/2026-01-01T10:00Z", "UTC", "2026-01-01", "2026-01-01T10:00:00Z"},
    {"2026-01-01T10:00Z/2026-01-02T10:00Z", "UTC", "2026-01-01", "2026-01-02T10:00:00Z"},
    // The end is on the wall clock, however long the night in between.
    {"2021-03-13T12:00/2021-03-14T12:00",
     "America/New_York",
     "2021-01-01",
     "2021-03-14T12:00:00-04:00"},
    {"2026-01-01T10:00Z/PT10H", "UTC", "2026-01-01T20:00Z", "none"},
    {"2026-01-01", "UTC", "2026-01-01", "none"},
    {"3 business days", "UTC", "2026-01-02T15:30Z", "2026-01-07T15:30:00Z"},
    {"1 business day", "UTC", "2026-01-02T15:30Z", "2026-01-05T15:30:00Z"},
    {" \t@daily\n",
     "UTC",
     "2026-01-01",
     "2026-01-02T00:00:00Z 2026-01-03T00:00:00Z 2026-01-04T00:00:00Z 2026-01-05T00:00:00Z"},
    {"0 0 0 31 2 ?", "UTC", "2026-01-01", "none"},
};
INSTANTIATE_TEST_SUITE_P(Intervals, ExampleOfGuide, testing::ValuesIn(kIntervalExamples));

TEST(TimerExpression, Says_what_is_wrong_and_where) {
    const auto error = [](std::string_view text) { return times(text, "2026-01-01"); };
    const std::string expected =
        "expected a date (2027-01-31T10:00Z, tomorrow 09:00), a duration (PT10M, 10m), a cycle "
        "(R3/PT10H), a cron text (0 0 12 * * ?), times of each day (every 45m from 09:00 to 17:00) "
        "or a number of business days (3 business days)";
    EXPECT_EQ(error(""), "0: " + expected);
    EXPECT_EQ(error("  Tomorrow"), "2: " + expected);
    EXPECT_EQ(error("12"), "0: a number without a unit: write 5s, 5m or 5h");
    EXPECT_EQ(error("  0 0 25 * * ?"), "6: the hour must be 0 to 23");
    EXPECT_EQ(error("PT10X"), "4: expected H, M or S, each once and in this order");
    EXPECT_EQ(error("R3/PT10X"), "7: expected H, M or S, each once and in this order");
    EXPECT_EQ(error("2026-02-30T10:00Z"), "8: the month has no such day");
    EXPECT_EQ(error("2026-02-20 10:0x"), "15: expected 2 digits for the minute");
    EXPECT_EQ(
        error("2026-01-01T10:00Z/PT1H/2026-02-01"),
        "23: only a repeating timer (R/...) has a start and an end"
    );
    EXPECT_EQ(error("0 business days"), "0: the number of business days must be 1 to 10000");
    EXPECT_EQ(error("99999 business days"), "0: the number of business days must be 1 to 10000");
    EXPECT_EQ(error("@every 5m"), "0: expected @hourly, @daily, @weekly, @monthly or @yearly");
}

TEST(TimerExpression, Names_the_option_to_who_writes_the_zone_before_a_cron_text) {
    for (const char* const text : {"CRON_TZ=Europe/Berlin 0 9 * * *", "TZ=UTC 0 9 * * *"}) {
        const auto expression = parse_timer_expression(text);
        ASSERT_FALSE(expression) << text;
        EXPECT_THAT(expression.error().message, testing::HasSubstr("--zone"));
    }
}

TEST(TimerExpression, Reads_times_as_people_say_them) {
    const char* const now = "2026-11-19T10:30Z";
    EXPECT_EQ(times("5m", now), "2026-11-19T10:35:00Z");
    EXPECT_EQ(times("in 1h 30m", now), "2026-11-19T12:00:00Z");
    EXPECT_EQ(times("tomorrow 09:00 Europe/Berlin", now), "2026-11-20T08:00:00Z");
    EXPECT_EQ(times("2026-11-20 10:15 Europe/Berlin", now), "2026-11-20T09:15:00Z");
    EXPECT_EQ(times("yesterday 14:00", now), "none");
    EXPECT_EQ(times("2 hours ago", now), "none");
}

TEST(TimerExpression, Gives_at_most_the_number_of_times_asked_for) {
    EXPECT_EQ(times("@hourly", "2026-01-01", 0), "none");
    EXPECT_EQ(times("@hourly", "2026-01-01", 1), "2026-01-01T01:00:00Z");
    EXPECT_EQ(times("PT5M", "2026-01-01", 0), "none");
}

TEST(TimerExpression, Follows_the_rule_for_changes_of_clocks) {
    const Zone zone = zone_named("America/New_York");
    EXPECT_EQ(times("30 2 * * *", "2021-03-13T12:00Z", 1, {zone}), "2021-03-15T02:30:00-04:00");
    EXPECT_EQ(
        times("30 2 * * *", "2021-03-13T12:00Z", 1, {zone, DstRule::run_once}),
        "2021-03-14T03:00:00-04:00"
    );
}

TEST(TimerExpression, Leaves_out_what_the_calendar_excludes) {
    const Calendar holidays{
        {{HolidayExclusion{{std::chrono::year{2026} / 1 / 5}}}, {WeeklyExclusion{}}}};
    EXPECT_EQ(times("@daily", "2026-01-02", 1, {}, &holidays), "2026-01-06T00:00:00Z");
    EXPECT_EQ(times("1 business day", "2026-01-02", 1, {}, &holidays), "2026-01-06T00:00:00Z");
    EXPECT_EQ(times("R/2026-01-01/P1D", "2026-01-02", 1, {}, &holidays), "2026-01-06T00:00:00Z");
}

// A Thursday; in Berlin it is 11:30.
constexpr const char* kThursday = "2026-11-19T10:30:00Z";

std::string read(
    std::string_view text,
    Toward bare = Toward::ahead,
    const char* zone = "UTC",
    const char* now = kThursday
) {
    const auto spoken = parse_spoken_time(text);
    if (!spoken) {
        return std::to_string(spoken.error().position) + ": " + spoken.error().message;
    }
    return text_of(spoken.value().at(zone_named(zone), at(now), bare));
}

TEST(SpokenTime, Is_read_as_people_say_it) {
    const std::pair<const char*, const char*> cases[]{
        {"2026-11-20T10:15:30Z", "2026-11-20T10:15:30Z"},
        {"2026-11-20 10:15:30+01:00", "2026-11-20T09:15:30Z"},
        {"2026-11-20T10:15 Europe/Berlin", "2026-11-20T09:15:00Z"},
        {"2026-11-20 10:15", "2026-11-20T10:15:00Z"},
        {"2026-11-20", "2026-11-20T00:00:00Z"},
        {"14:00", "2026-11-19T14:00:00Z"},
        {"9:00", "2026-11-19T09:00:00Z"},
        {"14:00:30 Europe/Berlin", "2026-11-19T13:00:30Z"},
        {"today 09:00", "2026-11-19T09:00:00Z"},
        {"yesterday 14:00", "2026-11-18T14:00:00Z"},
        {"tomorrow 09:00", "2026-11-20T09:00:00Z"},
        {"tomorrow", "2026-11-20T00:00:00Z"},
        {"now", "2026-11-19T10:30:00Z"},
        {"in 5 minutes", "2026-11-19T10:35:00Z"},
        {"in PT1H", "2026-11-19T11:30:00Z"},
        {"5 minutes ago", "2026-11-19T10:25:00Z"},
        {"2d ago", "2026-11-17T10:30:00Z"},
        {"P1M ago", "2026-10-19T10:30:00Z"},
        {"5m", "2026-11-19T10:35:00Z"},
        {"1h30m", "2026-11-19T12:00:00Z"},
        {"PT1H", "2026-11-19T11:30:00Z"},
    };
    for (const auto& [text, expected] : cases) {
        EXPECT_EQ(read(text), expected) << text;
    }
}

TEST(SpokenTime, A_lone_duration_points_where_its_context_says) {
    EXPECT_EQ(read("2h", Toward::behind), "2026-11-19T08:30:00Z");
    EXPECT_EQ(read("2h", Toward::ahead), "2026-11-19T12:30:00Z");
    EXPECT_EQ(read("in 2h", Toward::behind), "2026-11-19T12:30:00Z");
    EXPECT_EQ(read("2h ago", Toward::ahead), "2026-11-19T08:30:00Z");
}

TEST(SpokenTime, Days_and_times_of_day_are_those_of_the_zone) {
    const char* const late = "2026-11-19T23:30:00Z";  // In Berlin it is the 20th.
    EXPECT_EQ(read("00:00", Toward::ahead, "Europe/Berlin", late), "2026-11-19T23:00:00Z");
    EXPECT_EQ(read("tomorrow 09:00", Toward::ahead, "Europe/Berlin", late), "2026-11-21T08:00:00Z");
    EXPECT_EQ(read("2026-11-20 10:15", Toward::ahead, "Europe/Berlin"), "2026-11-20T09:15:00Z");
    // Clocks are set forward on 29 March: a day keeps the time on the wall, hours do not.
    const char* const eve = "2026-03-28T11:00:00Z";
    EXPECT_EQ(read("1d", Toward::ahead, "Europe/Berlin", eve), "2026-03-29T10:00:00Z");
    EXPECT_EQ(read("24h", Toward::ahead, "Europe/Berlin", eve), "2026-03-29T11:00:00Z");
    EXPECT_EQ(
        read("1d ago", Toward::ahead, "Europe/Berlin", "2026-03-29T10:00:00Z"),
        "2026-03-28T11:00:00Z"
    );
}

TEST(SpokenTime, Knows_whether_it_needs_a_clock) {
    EXPECT_FALSE(parse_spoken_time("2026-11-20").value().is_relative());
    EXPECT_TRUE(parse_spoken_time("14:00").value().is_relative());
    EXPECT_TRUE(parse_spoken_time("5m").value().is_relative());
}

TEST(SpokenTime, What_lies_outside_the_years_is_none) {
    EXPECT_EQ(read("P999Y ago"), "none");
    EXPECT_EQ(read("P999Y", Toward::ahead, "UTC", "9998-01-01"), "none");
}

TEST(SpokenTime, Says_what_is_wrong_and_where) {
    const std::string expected =
        "0: expected a time such as 2026-11-20T10:15Z, 14:00, tomorrow 09:00, 5m or 2h ago";
    const std::pair<const char*, std::string> cases[]{
        {"", expected},
        {"soon", expected},
        {"-5m", expected},
        {"5", "0: a number without a unit: write 5s, 5m or 5h"},
        {"25:00", "0: the hour must be 0 to 23"},
        {"14:60", "3: the minute must be 0 to 59"},
        {"14:00 or so", "5: expected the end of the text"},
        {"tomorrow morning", "9: expected 2 digits for the hour"},
        {"2026-02-30 10:00", "8: the month has no such day"},
        {"in five minutes", "3: expected a duration such as 5m, 1h30m or PT5M"},
        {"2026-11-20T10:15Z Europe/Berlin",
         "18: the time has an offset already: leave the zone out"},
    };
    for (const auto& [text, message] : cases) {
        EXPECT_EQ(read(text), message) << text;
    }
    EXPECT_EQ(read("14:00 Europe/Berln").substr(0, 4), "6: t") << read("14:00 Europe/Berln");
}

// A Friday.
constexpr const char* kFriday = "2026-11-20T10:30:00Z";

std::string due(const DueText& text, const schema::CalendarTexts& calendars = {}) {
    const auto date = due_date_of(text, calendars, at(kFriday));
    return date ? text_of(date.value())
                : std::to_string(date.error().position) + ": " + date.error().message;
}

TEST(DueText, Is_whatever_a_timer_text_says) {
    const std::pair<const char*, const char*> cases[]{
        {"2026-11-20T12:00:00Z", "2026-11-20T12:00:00Z"},
        {"PT10M", "2026-11-20T10:40:00Z"},
        {"10m", "2026-11-20T10:40:00Z"},
        {"2026-11-20T10:00Z/PT10H", "2026-11-20T20:00:00Z"},
        {"PT10H/2026-11-21", "2026-11-21T00:00:00Z"},
        {"3 business days", "2026-11-25T10:30:00Z"},
        {"tomorrow 09:00", "2026-11-21T09:00:00Z"},
        {"0 0 12 ? * MON-FRI", "2026-11-20T12:00:00Z"},
        {"@daily", "2026-11-21T00:00:00Z"},
        {"R3/PT10H", "2026-11-20T20:30:00Z"},
        {"now", "2026-11-20T10:30:00Z"},
    };
    for (const auto& [text, expected] : cases) {
        EXPECT_EQ(due({.text = text}), expected) << text;
    }
}

TEST(DueText, A_date_that_has_passed_is_due_then) {
    EXPECT_EQ(due({.text = "2026-11-19"}), "2026-11-19T00:00:00Z");
    EXPECT_EQ(due({.text = "09:00"}), "2026-11-20T09:00:00Z");
    EXPECT_EQ(due({.text = "2026-11-20T00:00Z/PT1H"}), "2026-11-20T01:00:00Z");
}

TEST(DueText, Local_dates_are_in_its_zone) {
    EXPECT_EQ(due({.text = "2026-11-21T09:00", .zone = "Europe/Berlin"}), "2026-11-21T08:00:00Z");
    EXPECT_EQ(due({.text = "0 0 12 * * ?", .zone = "Europe/Berlin"}), "2026-11-20T11:00:00Z");
}

TEST(DueText, Business_days_are_those_that_its_calendar_includes) {
    const schema::CalendarTexts calendars{{"shop", "weekly SUN; holidays 2026-11-21"}};
    EXPECT_EQ(
        due({.text = "1 business day", .calendar = "shop"}, calendars), "2026-11-23T10:30:00Z"
    );
    EXPECT_EQ(
        due({.text = "2 business days", .calendar = "shop"}, calendars), "2026-11-24T10:30:00Z"
    );
}

TEST(DueText, Says_what_is_wrong_and_where) {
    EXPECT_EQ(due({.text = "R3/PT10X"}), "7: expected H, M or S, each once and in this order");
    EXPECT_EQ(due({.text = "0 0 0 31 2 ?"}), "0: this is never due");
    EXPECT_EQ(due({.text = "5m", .zone = "Mars"}).substr(0, 8), "0: zone:");
    EXPECT_EQ(due({.text = "5m", .calendar = "none"}).substr(0, 12), "0: calendar:");
}

Series due_at(std::string repeat, std::string_view due, std::string zone = "Europe/Berlin") {
    Series series = a_series(std::move(repeat));
    series.zone = std::move(zone);
    series.next_fire = at(due);
    return series;
}

// 09:00 in Berlin is 07:00 in UTC in summer, by the rules of 2026.
TEST(DueCheck, A_turn_that_was_made_by_other_rules_of_its_zone_is_seen) {
    EXPECT_TRUE(is_due_by_text(due_at("0 9 * * *", "2026-07-01T07:00Z")));
    EXPECT_FALSE(is_due_by_text(due_at("0 9 * * *", "2026-07-01T08:00Z")));
}

TEST(DueCheck, A_cycle_of_days_goes_by_the_wall_and_one_of_hours_does_not) {
    Series days = due_at("R/2026-01-01T09:00/P1D", "2026-07-01T07:00Z");
    days.start = at("2026-01-01T08:00Z");
    EXPECT_TRUE(is_due_by_text(days));
    days.next_fire = at("2026-07-01T08:00Z");
    EXPECT_FALSE(is_due_by_text(days));
    days.repeat = "R/2026-01-01T09:00/PT24H";
    EXPECT_TRUE(is_due_by_text(days));
}

TEST(DueCheck, What_no_rule_can_have_moved_is_right) {
    EXPECT_TRUE(is_due_by_text(due_at("0 9 * * *", "2026-07-01T08:00Z", "UTC")));
    EXPECT_TRUE(is_due_by_text(due_at("nonsense", "2026-07-01T08:00Z")));
    Series ended = due_at("0 9 * * *", "2026-07-01T08:00Z");
    ended.next_fire.reset();
    EXPECT_TRUE(is_due_by_text(ended));
}

}  // namespace

}  // namespace jobstrand::timers
