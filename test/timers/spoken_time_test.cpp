#include "timers/zone/spoken_time.hpp"

#include "test/timers/times.hpp"

#include <gtest/gtest.h>

#include <string>

namespace jobstrand::timers {
namespace {

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

}  // namespace
}  // namespace jobstrand::timers
