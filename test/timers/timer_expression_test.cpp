#include "timers/cycle/timer_expression.hpp"

#include "test/timers/times.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace jobstrand::timers {
namespace {

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
INSTANTIATE_TEST_SUITE_P(
    FlowableAndCamunda,
    ExampleOfGuide,
    testing::Values(
        Example{"2011-03-11T12:13:14", "Europe/Berlin", "2011-01-01", "2011-03-11T12:13:14+01:00"},
        Example{"2011-03-11T12:13:14Z", "Europe/Berlin", "2011-01-01", "2011-03-11T13:13:14+01:00"},
        Example{"P10D", "UTC", "2026-01-01T10:00Z", "2026-01-11T10:00:00Z"},
        Example{"P14DT1H30M", "UTC", "2026-01-01", "2026-01-15T01:30:00Z"},
        Example{"PT5M", "UTC", "2026-01-01", "2026-01-01T00:05:00Z"},
        Example{
            "R3/PT10H",
            "UTC",
            "2026-01-01",
            "2026-01-01T10:00:00Z 2026-01-01T20:00:00Z 2026-01-02T06:00:00Z"},
        Example{
            "R4/2011-03-11T12:13/PT5M",
            "UTC",
            "2011-01-01",
            "2011-03-11T12:13:00Z 2011-03-11T12:18:00Z 2011-03-11T12:23:00Z 2011-03-11T12:28:00Z"},
        Example{"R3/PT10H/2026-01-01T12:00Z", "UTC", "2026-01-01", "2026-01-01T10:00:00Z"},
        Example{
            "R/2027-01-01T00:00:00Z/P1D",
            "UTC",
            "2027-01-03",
            "2027-01-04T00:00:00Z 2027-01-05T00:00:00Z 2027-01-06T00:00:00Z 2027-01-07T00:00:00Z"},
        Example{
            "R5/PT1M",
            "UTC",
            "2026-01-01",
            "2026-01-01T00:01:00Z 2026-01-01T00:02:00Z 2026-01-01T00:03:00Z 2026-01-01T00:04:00Z"},
        Example{
            "0 0/5 * * * ?",
            "UTC",
            "2026-01-01T11:50Z",
            "2026-01-01T11:55:00Z 2026-01-01T12:00:00Z 2026-01-01T12:05:00Z 2026-01-01T12:10:00Z"}
    )
);

INSTANTIATE_TEST_SUITE_P(
    Intervals,
    ExampleOfGuide,
    testing::Values(
        Example{"2026-01-01T10:00Z/PT10H", "UTC", "2026-01-01", "2026-01-01T20:00:00Z"},
        Example{"PT10H/2026-01-01T10:00Z", "UTC", "2026-01-01", "2026-01-01T10:00:00Z"},
        Example{"2026-01-01T10:00Z/2026-01-02T10:00Z", "UTC", "2026-01-01", "2026-01-02T10:00:00Z"},
        // The end is on the wall clock, however long the night in between.
        Example{
            "2021-03-13T12:00/2021-03-14T12:00",
            "America/New_York",
            "2021-01-01",
            "2021-03-14T12:00:00-04:00"},
        Example{"2026-01-01T10:00Z/PT10H", "UTC", "2026-01-01T20:00Z", "none"},
        Example{"2026-01-01", "UTC", "2026-01-01", "none"},
        Example{"3 business days", "UTC", "2026-01-02T15:30Z", "2026-01-07T15:30:00Z"},
        Example{"1 business day", "UTC", "2026-01-02T15:30Z", "2026-01-05T15:30:00Z"},
        Example{
            " \t@daily\n",
            "UTC",
            "2026-01-01",
            "2026-01-02T00:00:00Z 2026-01-03T00:00:00Z 2026-01-04T00:00:00Z 2026-01-05T00:00:00Z"},
        Example{"0 0 0 31 2 ?", "UTC", "2026-01-01", "none"}
    )
);

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

}  // namespace
}  // namespace jobstrand::timers
