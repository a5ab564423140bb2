#include "timers/calendar/daily_times.hpp"

#include "test/timers/times.hpp"
#include "timers/series/series_planner.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::timers {
namespace {

using namespace std::chrono_literals;

struct Recorded {
    std::string_view text;
    std::string_view zone;
    std::string_view start;
    std::vector<std::string> times;
};

// Recorded from DailyTimeIntervalTriggerImpl of Quartz 2.5.2.
const std::vector<Recorded> kRecorded{
    {"every 45m from 09:00 to 16:45 on MON-FRI",
     "Europe/Berlin",
     "2026-01-02T15:00:00+01:00",
     {"2026-01-02T15:00:00+01:00",
      "2026-01-02T15:45:00+01:00",
      "2026-01-02T16:30:00+01:00",
      "2026-01-05T09:00:00+01:00",
      "2026-01-05T09:45:00+01:00"}},
    {"every 90m",
     "UTC",
     "2026-01-01T21:00:01Z",
     {"2026-01-01T22:30:00Z", "2026-01-02T00:00:00Z", "2026-01-02T01:30:00Z"}},
    {"every 7h from 05:00 to 23:00",
     "UTC",
     "2026-01-01T04:00:00Z",
     {"2026-01-01T05:00:00Z",
      "2026-01-01T12:00:00Z",
      "2026-01-01T19:00:00Z",
      "2026-01-02T05:00:00Z"}},
    {"every PT25S from 23:59:00",
     "UTC",
     "2026-01-01T23:59:26Z",
     {"2026-01-01T23:59:50Z", "2026-01-02T23:59:00Z", "2026-01-02T23:59:25Z"}},
    {"every 24h from 06:00",
     "UTC",
     "2026-01-02T09:00:00Z",
     {"2026-01-03T06:00:00Z", "2026-01-04T06:00:00Z"}},
    {"every 1h from 01:30 to 03:30",
     "Europe/Berlin",
     "2024-03-31T00:00:00+01:00",
     {"2024-03-31T01:30:00+01:00", "2024-03-31T03:30:00+02:00", "2024-04-01T01:30:00+02:00"}},
    {"every 1h from 01:30 to 03:30",
     "America/New_York",
     "2021-11-07T00:00:00-04:00",
     {"2021-11-07T01:30:00-05:00",
      "2021-11-07T02:30:00-05:00",
      "2021-11-07T03:30:00-05:00",
      "2021-11-08T01:30:00-05:00"}},
    {"every 30m from 00:30 to 01:30",
     "America/New_York",
     "2021-11-07T00:00:00-04:00",
     {"2021-11-07T00:30:00-04:00",
      "2021-11-07T01:00:00-04:00",
      "2021-11-07T01:30:00-04:00",
      "2021-11-07T01:00:00-05:00",
      "2021-11-07T01:30:00-05:00",
      "2021-11-08T00:30:00-05:00"}},
};

std::string problem_of(std::string_view text) {
    const auto times = parse_daily_times(text);
    return times ? "none" : std::to_string(times.error().position) + ": " + times.error().message;
}

TEST(DailyTimes, Are_those_that_Quartz_computes) {
    for (const Recorded& recorded : kRecorded) {
        const auto times = parse_daily_times(recorded.text);
        ASSERT_TRUE(times) << recorded.text << ": " << times.error().message;
        const Zone zone = zone_named(recorded.zone);
        schema::TimePoint after = at(recorded.start) - 1ms;
        for (const std::string& expected : recorded.times) {
            const auto next = next_time(times.value(), zone, after);
            ASSERT_EQ(text_of(next, zone), expected) << recorded.text;
            after = *next;
        }
    }
}

// Quartz begins at 03:30 on all days from then on, until the trigger is stored anew.
TEST(DailyTimes, Begin_on_time_again_after_a_day_without_their_first_one) {
    const auto times = parse_daily_times("every 1h from 02:30 to 04:30").value();
    const Zone berlin = zone_named("Europe/Berlin");
    const auto first = next_time(times, berlin, at("2024-03-31T00:00+01:00"));
    EXPECT_EQ(text_of(first, berlin), "2024-03-31T03:30:00+02:00");
    const auto last = next_time(times, berlin, *first);
    EXPECT_EQ(text_of(last, berlin), "2024-03-31T04:30:00+02:00");
    EXPECT_EQ(text_of(next_time(times, berlin, *last), berlin), "2024-04-01T02:30:00+02:00");
}

TEST(DailyTimes, End_with_the_times_that_can_be_stored) {
    const auto times = parse_daily_times("every 1h").value();
    EXPECT_EQ(next_time(times, Zone::utc(), schema::kLatestInstant), std::nullopt);
}

TEST(DailyTimes, Name_days_by_ranges_and_lists_in_any_case) {
    EXPECT_EQ(parse_daily_times("every 1h on FRI-MON").value().weekdays, 0b1100011);
    EXPECT_EQ(parse_daily_times("every 1h on mon,Wed,FRI").value().weekdays, 0b0101010);
    EXPECT_EQ(parse_daily_times("every 1h on SUN").value().weekdays, 0b0000001);
}

TEST(DailyTimes, That_cannot_be_read_say_what_was_expected_and_where) {
    EXPECT_EQ(problem_of("every day"), "6: expected how far apart the times are: 45m, PT1H30M");
    EXPECT_EQ(problem_of("every P1D"), "6: the interval must be whole seconds, 1s to 24h");
    EXPECT_EQ(problem_of("every 25h"), "6: the interval must be whole seconds, 1s to 24h");
    EXPECT_EQ(problem_of("every PT0.5S"), "6: the interval must be whole seconds, 1s to 24h");
    EXPECT_EQ(problem_of("every 1h from 24:00"), "14: the hour must be 0 to 23");
    EXPECT_EQ(problem_of("every 1h on MO"), "12: expected SUN, MON, TUE, WED, THU, FRI or SAT");
    EXPECT_EQ(problem_of("every 1h 0 times"), "9: the number of times must be 1 to 2147483647");
    EXPECT_EQ(
        problem_of("every 1h to 08:00 from 09:00"),
        "0: the end of the day's times is before their start"
    );
    EXPECT_EQ(
        problem_of("every 1h at noon"),
        "9: expected 'from 09:00', 'to 17:00', 'on MON-FRI' or '10 times'"
    );
}

schema::Series daily_series(std::string repeat) {
    schema::Series series;
    series.key = "s";
    series.repeat = std::move(repeat);
    return series;
}

// Quartz: repeat count 3, which is four times.
TEST(DailySeries, Ends_after_as_many_turns_as_it_says) {
    const SeriesPlanner planner;
    const auto begun = planner.begin(
        daily_series("every 1h from 08:00 to 10:00 on SAT,SUN 4 times"),
        {},
        {},
        at("2026-01-02T09:00Z")
    );
    ASSERT_TRUE(begun) << begun.error().message;
    schema::Series series = begun.value().series;
    std::vector<std::string> fired;
    while (series.next_fire) {
        fired.push_back(text_of(series.next_fire));
        series = planner.plan(series, {}, *series.next_fire, *series.next_fire).value().series;
    }
    EXPECT_EQ(
        fired,
        (std::vector<std::string>{
            "2026-01-03T08:00:00Z",
            "2026-01-03T09:00:00Z",
            "2026-01-03T10:00:00Z",
            "2026-01-04T08:00:00Z"})
    );
}

TEST(DailySeries, Leaves_out_what_its_calendar_excludes) {
    schema::Series series = daily_series("every 30m from 11:00 to 13:30");
    series.calendar = "lunch";
    const auto begun = SeriesPlanner().begin(
        series, {{"lunch", "daily 11:45-13:15"}}, {}, at("2026-01-01T11:30Z")
    );
    ASSERT_TRUE(begun) << begun.error().message;
    EXPECT_EQ(text_of(begun.value().series.next_fire), "2026-01-01T13:30:00Z");
}

// R128 to R130, of the daily trigger: as of a cron text.
TEST(DailySeries, That_missed_its_turns_fires_once_and_goes_on) {
    const SeriesPlanner planner;
    const auto begun = planner.begin(daily_series("every 10m"), {}, {}, at("2026-01-01T12:00Z"));
    const auto late =
        planner.plan(begun.value().series, {}, at("2026-01-01T12:10Z"), at("2026-01-01T13:03Z"));
    EXPECT_TRUE(late.value().fires);
    EXPECT_EQ(text_of(late.value().next_due), "2026-01-01T13:10:00Z");
}

TEST(DailySeries, Can_leave_missed_turns_out) {
    const SeriesPlanner planner;
    schema::Series series = daily_series("every 10m");
    series.misfire = "do-nothing";
    const auto begun = planner.begin(series, {}, {}, at("2026-01-01T12:00Z"));
    const auto late =
        planner.plan(begun.value().series, {}, at("2026-01-01T12:10Z"), at("2026-01-01T13:03Z"));
    EXPECT_FALSE(late.value().fires);
    EXPECT_EQ(text_of(late.value().next_due), "2026-01-01T13:10:00Z");
}

}  // namespace
}  // namespace jobstrand::timers
