#include "timers/zone/zone.hpp"

#include "test/timers/times.hpp"
#include "timers/zone/zone_rule.hpp"

#include <gtest/gtest.h>

namespace jobstrand::timers {
namespace {

using std::chrono::hours;
using std::chrono::local_days;
using std::chrono::minutes;
using std::chrono::sys_seconds;

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
    EXPECT_EQ(
        zone_named("America/New_York").format(at("2050-07-04T12:00Z")), "2050-07-04T08:00:00-04:00"
    );
    EXPECT_EQ(
        zone_named("America/New_York").format(at("2050-12-04T12:00Z")), "2050-12-04T07:00:00-05:00"
    );
    EXPECT_EQ(
        zone_named("Australia/Lord_Howe").format(at("2100-01-01T00:00Z")),
        "2100-01-01T11:00:00+11:00"
    );
    EXPECT_EQ(
        zone_named("Europe/Dublin").format(at("2099-07-01T00:00Z")), "2099-07-01T01:00:00+01:00"
    );
    EXPECT_EQ(
        zone_named("Asia/Kolkata").format(at("2099-07-01T00:00Z")), "2099-07-01T05:30:00+05:30"
    );
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

}  // namespace
}  // namespace jobstrand::timers
