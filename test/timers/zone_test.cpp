#include "timers/zone/zone.hpp"

#include "test/timers/times.hpp"
#include "timers/calendar/daily_times.hpp"
#include "timers/series/series_planner.hpp"
#include "timers/zone/zone_rule.hpp"
#include "timers/zone/zone_time.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::timers {

namespace {

using schema::IsoDuration;
using std::chrono::hours;
using std::chrono::local_days;
using std::chrono::minutes;
using std::chrono::sys_seconds;
using namespace std::chrono_literals;

sys_seconds second_of(std::string_view text) {
    return std::chrono::floor<std::chrono::seconds>(at(text));
}

std::string instant_text(const Zone& zone, std::chrono::local_seconds wall, Twice twice) {
    return zone.format(zone.to_instant(wall, twice));
}

TEST(Zone, Is_found_by_its_IANA_name) {
    EXPECT_EQ(zone_named("Europe/Berlin").name(), "Europe/Berlin");
    EXPECT_EQ(zone_named("UTC"), Zone::utc());
}

TEST(Zone, An_unknown_name_is_refused_and_a_near_one_is_suggested) {
    EXPECT_EQ(
        Zone::find("europe/berlin").error().message,
        "there is no time zone 'europe/berlin'; do you mean Europe/Berlin?"
    );
    EXPECT_EQ(
        Zone::find("New York").error().message,
        "there is no time zone 'New York'; do you mean America/New_York?"
    );
    EXPECT_FALSE(Zone::find("Mars/Olympus"));
    EXPECT_FALSE(Zone::find(""));
    EXPECT_FALSE(Zone::find("../../../etc/passwd"));
    EXPECT_EQ(
        Zone::find("Mars\xFF").error().message,
        "there is no such time zone; zones have names such as Europe/Berlin or UTC"
    );
}

TEST(Zone, Texts_have_the_offset_of_their_day) {
    const Zone berlin = zone_named("Europe/Berlin");
    EXPECT_EQ(berlin.format(at("2026-07-01T10:00Z")), "2026-07-01T12:00:00+02:00");
    EXPECT_EQ(berlin.format(at("2026-12-01T10:00:00.050Z")), "2026-12-01T11:00:00.050+01:00");
    EXPECT_EQ(
        zone_named("America/St_Johns").format(at("2026-12-01T10:00Z")), "2026-12-01T06:30:00-03:30"
    );
    EXPECT_EQ(Zone::utc().format(at("2026-12-01T10:00Z")), "2026-12-01T10:00:00Z");
}

TEST(Zone, A_time_in_a_gap_moves_on_by_its_length) {
    const Zone new_york = zone_named("America/New_York");
    const auto wall = local_days{std::chrono::year{2021} / 3 / 14} + hours{2} + minutes{30};
    EXPECT_EQ(instant_text(new_york, wall, Twice::first), "2021-03-14T03:30:00-04:00");
    EXPECT_EQ(instant_text(new_york, wall, Twice::second), "2021-03-14T03:30:00-04:00");
}

TEST(Zone, Of_a_time_that_comes_twice_either_can_be_asked) {
    const Zone new_york = zone_named("America/New_York");
    const auto wall = local_days{std::chrono::year{2021} / 11 / 7} + hours{1} + minutes{30};
    EXPECT_EQ(instant_text(new_york, wall, Twice::first), "2021-11-07T01:30:00-04:00");
    EXPECT_EQ(instant_text(new_york, wall, Twice::second), "2021-11-07T01:30:00-05:00");
}

TEST(Zone, A_skipped_day_moves_to_the_next) {
    const auto wall = local_days{std::chrono::year{2011} / 12 / 30} + hours{9};
    EXPECT_EQ(
        instant_text(zone_named("Pacific/Apia"), wall, Twice::first), "2011-12-31T09:00:00+14:00"
    );
}

// The zone files list changes up to 2037 only; after it their rule counts.
TEST(Zone, Summer_time_goes_on_after_2037) {
    const auto shown = [](std::string_view zone, std::string_view time) {
        return zone_named(zone).format(at(time));
    };
    EXPECT_EQ(shown("America/New_York", "2050-07-04T12:00Z"), "2050-07-04T08:00:00-04:00");
    EXPECT_EQ(shown("America/New_York", "2050-12-04T12:00Z"), "2050-12-04T07:00:00-05:00");
    EXPECT_EQ(shown("Australia/Lord_Howe", "2100-01-01T00:00Z"), "2100-01-01T11:00:00+11:00");
    EXPECT_EQ(shown("Europe/Dublin", "2099-07-01T00:00Z"), "2099-07-01T01:00:00+01:00");
    EXPECT_EQ(shown("Asia/Kolkata", "2099-07-01T00:00Z"), "2099-07-01T05:30:00+05:30");
}

TEST(Zone, Segments_join_without_a_gap_up_to_2060) {
    for (const char* name :
         {"America/New_York",
          "Africa/Casablanca",
          "Pacific/Apia",
          "Europe/Dublin",
          "Asia/Gaza",
          "America/Santiago",
          "Asia/Tehran",
          "UTC"}) {
        const Zone zone = zone_named(name);
        ZoneSegment segment = zone.segment_at(second_of("1970-01-01"));
        while (segment.end < second_of("2060-01-01")) {
            const ZoneSegment next = zone.segment_at(segment.end);
            ASSERT_EQ(next.begin, segment.end) << name;
            ASSERT_LT(next.begin, next.end) << name;
            segment = next;
        }
    }
}

TEST(ZoneRule, Reads_every_form_that_zone_files_have) {
    for (const char* text :
         {"UTC0",
          "EST5EDT,M3.2.0,M11.1.0",
          "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0",
          "IST-1GMT0,M10.5.0,M3.5.0/1",
          "EET-2EEST,M3.4.4/50,M10.4.4/50",
          "<-02>2<-01>,M3.5.0/-1,M10.5.0/0",
          "XXX3YYY,J60/2,J300",
          "XXX3YYY2:30:15,59,300/26"}) {
        EXPECT_TRUE(parse_zone_rule(text)) << text;
    }
    for (const char* text :
         {"",
          "5EST",
          "EST",
          "EST5EDT",
          "EST5EDT,M3.2.0",
          "EST5EDT,M13.2.0,M11.1.0",
          "EST5EDT,M3.2.0,M11.1.0,",
          "<EST5",
          "EST5EDT,J0,J10"}) {
        EXPECT_FALSE(parse_zone_rule(text)) << text;
    }
}

TEST(ZoneRule, Gives_the_same_segments_as_the_listed_changes) {
    const ZoneRule rule = parse_zone_rule("EST5EDT,M3.2.0,M11.1.0").value();
    const Zone listed = zone_named("America/New_York");
    for (auto t = second_of("2010-06-01"); t < second_of("2037-06-01"); t += hours{97}) {
        const ZoneSegment a = rule.segment_at(t);
        const ZoneSegment b = listed.segment_at(t);
        ASSERT_EQ(std::tie(a.begin, a.end, a.offset), std::tie(b.begin, b.end, b.offset));
    }
}

TEST(ZoneRule, Counts_days_with_and_without_the_leap_day) {
    const auto day = [](const char* rule, int year) {
        const auto moment = parse_zone_rule(rule).value().summer->begin.in(std::chrono::year{year});
        return std::chrono::year_month_day{std::chrono::floor<std::chrono::days>(moment)};
    };
    EXPECT_EQ(day("A0B,J60,J300", 2024), std::chrono::year{2024} / 3 / 1);
    EXPECT_EQ(day("A0B,J60,J300", 2023), std::chrono::year{2023} / 3 / 1);
    EXPECT_EQ(day("A0B,60,300", 2024), std::chrono::year{2024} / 3 / 1);
    EXPECT_EQ(day("A0B,60,300", 2023), std::chrono::year{2023} / 3 / 2);
}

IsoDuration duration(std::string_view text) {
    return schema::parse_iso_duration(text).value();
}

struct Sum {
    const char* zone;
    const char* start;
    const char* duration;
    int times;
    const char* expected;
};

class SumOfTimes : public testing::TestWithParam<Sum> {};

TEST_P(SumOfTimes, Is_counted_on_the_wall_clock_of_the_zone) {
    const Sum& sum = GetParam();
    const Zone zone = zone_named(sum.zone);
    EXPECT_EQ(
        text_of(add(zone, at(sum.start), duration(sum.duration), sum.times), zone), sum.expected
    ) << sum.start
      << " + " << sum.times << " times " << sum.duration << " in " << sum.zone;
}

constexpr Sum kCalendarSums[] = {
    {"UTC", "2026-01-31", "P1M", 1, "2026-02-28T00:00:00Z"},
    {"UTC", "2026-01-31", "P1M", 2, "2026-03-31T00:00:00Z"},
    {"UTC", "2024-02-29", "P1Y", 1, "2025-02-28T00:00:00Z"},
    {"UTC", "2024-02-29", "P1Y", 4, "2028-02-29T00:00:00Z"},
    {"UTC", "2026-01-01", "P1Y2M3DT4H5M6.789S", 1, "2027-03-04T04:05:06.789Z"},
    {"UTC", "2026-12-31T23:59:59.999Z", "PT0.001S", 1, "2027-01-01T00:00:00Z"},
    // Days first, then months, as Flowable: 1 March and a month.
    {"UTC", "2026-02-28", "P1M1D", 1, "2026-04-01T00:00:00Z"},
};
INSTANTIATE_TEST_SUITE_P(Calendar, SumOfTimes, testing::ValuesIn(kCalendarSums));

constexpr Sum kClockSums[] = {
    {"America/New_York", "2021-03-13T12:00:00-05:00", "P1D", 1, "2021-03-14T12:00:00-04:00"},
    {"America/New_York", "2021-03-13T12:00:00-05:00", "PT24H", 1, "2021-03-14T13:00:00-04:00"},
    {"America/New_York", "2021-03-13T02:30:00-05:00", "P1D", 1, "2021-03-14T03:30:00-04:00"},
    {"America/New_York", "2021-03-13T02:30:00-05:00", "P1D", 2, "2021-03-15T02:30:00-04:00"},
    {"America/New_York", "2021-11-06T01:30:00-04:00", "P1D", 1, "2021-11-07T01:30:00-04:00"},
    {"Pacific/Apia", "2011-12-29T09:00:00-10:00", "P1D", 1, "2011-12-31T09:00:00+14:00"},
    {"Pacific/Apia", "2011-12-29T09:00:00-10:00", "P1D", 2, "2011-12-31T09:00:00+14:00"},
};
INSTANTIATE_TEST_SUITE_P(ChangesOfClocks, SumOfTimes, testing::ValuesIn(kClockSums));

constexpr Sum kBoundSums[] = {
    {"UTC", "9999-12-31T23:59:59Z", "PT1S", 1, "none"},
    {"UTC", "2026-01-01", "P1000Y", 9, "none"},
    {"UTC", "2026-01-01", "P1000Y", 2'000'000'000, "none"},
    {"UTC", "2026-01-01", "P30000D", 2'000'000'000, "none"},
    {"UTC", "2026-01-01", "PT1S", 2'000'000'000, "2089-05-18T03:33:20Z"},
};
INSTANTIATE_TEST_SUITE_P(Bounds, SumOfTimes, testing::ValuesIn(kBoundSums));

TEST(TimerDate, Without_an_offset_is_in_the_zone_of_the_timer) {
    const Zone berlin = zone_named("Europe/Berlin");
    const auto in_berlin = [&](std::string_view text) {
        return berlin.format(parse_timer_date(text).value().in(berlin));
    };
    EXPECT_EQ(in_berlin("2011-03-11T12:13:14"), "2011-03-11T12:13:14+01:00");
    EXPECT_EQ(in_berlin("2011-03-11T12:13"), "2011-03-11T12:13:00+01:00");
    EXPECT_EQ(in_berlin("2011-07-11T12:13:14.500"), "2011-07-11T12:13:14.500+02:00");
    EXPECT_EQ(in_berlin("2011-07-11"), "2011-07-11T00:00:00+02:00");
    EXPECT_EQ(in_berlin("2011-07-11T12:13:14Z"), "2011-07-11T14:13:14+02:00");
    EXPECT_EQ(in_berlin("2011-07-11T12:13:14-05:00"), "2011-07-11T19:13:14+02:00");
}

TEST(TimerDate, Errors_point_into_the_text_as_it_was_written) {
    for (const auto& [text, position] :
         {std::pair{"2011-13-11T12:13", 5},
          {"2011-03-11T12:1", 15},
          {"2011-03-11T25:13", 11},
          {"2011-03-11T", 11},
          {"2011", 4}}) {
        const auto date = parse_timer_date(text);
        ASSERT_FALSE(date) << text;
        EXPECT_EQ(date.error().position, static_cast<std::size_t>(position))
            << text << ": " << date.error().message;
    }
}

TEST(TimerDate, Texts_can_be_read_again) {
    for (const char* text :
         {"2026-01-01T00:00:00Z", "2026-01-01T00:00:00.500Z", "2026-01-01T00:00:00"}) {
        EXPECT_EQ(to_text(parse_timer_date(text).value()), text);
    }
    for (const char* text : {"P1Y2M3DT4H5M6.789S", "PT10H", "P1D", "PT0S", "P1Y"}) {
        EXPECT_EQ(to_text(duration(text)), text);
    }
    EXPECT_EQ(to_text(duration("P2W")), "P14D");
    EXPECT_EQ(to_text(duration("PT600M")), "PT10H");
}

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

// Quartz: repeat count 3, which is four times.
TEST(DailySeries, Ends_after_as_many_turns_as_it_says) {
    const SeriesPlanner planner;
    const auto begun = planner.begin(
        a_series("every 1h from 08:00 to 10:00 on SAT,SUN 4 times"), {}, {}, at("2026-01-02T09:00Z")
    );
    ASSERT_TRUE(begun) << begun.error().message;
    schema::Series series = begun.value().series;
    std::vector<schema::TimePoint> fired;
    while (series.next_fire) {
        fired.push_back(*series.next_fire);
        series = planner.plan(series, {}, fired.back(), fired.back()).value().series;
    }
    EXPECT_EQ(
        texts_of(fired),
        "2026-01-03T08:00:00Z 2026-01-03T09:00:00Z 2026-01-03T10:00:00Z 2026-01-04T08:00:00Z"
    );
}

TEST(DailySeries, Leaves_out_what_its_calendar_excludes) {
    schema::Series series = a_series("every 30m from 11:00 to 13:30");
    series.calendar = "lunch";
    const auto begun = SeriesPlanner().begin(
        series, {{"lunch", "daily 11:45-13:15"}}, {}, at("2026-01-01T11:30Z")
    );
    ASSERT_TRUE(begun) << begun.error().message;
    EXPECT_EQ(text_of(begun.value().series.next_fire), "2026-01-01T13:30:00Z");
}

// R128 to R130, of the daily trigger: as of a cron text.
TEST(DailySeries, That_missed_its_turns_fires_once_unless_it_leaves_them_out_and_goes_on) {
    const SeriesPlanner planner;
    for (const auto& [misfire, fires] : {std::pair{"", true}, {"do-nothing", false}}) {
        const auto begun =
            planner.begin(a_series("every 10m", misfire), {}, {}, at("2026-01-01T12:00Z"));
        const auto late = planner.plan(
            begun.value().series, {}, at("2026-01-01T12:10Z"), at("2026-01-01T13:03Z")
        );
        EXPECT_EQ(late.value().fires, fires) << misfire;
        EXPECT_EQ(text_of(late.value().next_due), "2026-01-01T13:10:00Z") << misfire;
    }
}

}  // namespace

}  // namespace jobstrand::timers
