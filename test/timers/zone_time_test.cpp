#include "timers/zone/zone_time.hpp"

#include "test/timers/times.hpp"

#include <gtest/gtest.h>

namespace jobstrand::timers {
namespace {

using schema::IsoDuration;

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

INSTANTIATE_TEST_SUITE_P(
    Calendar,
    SumOfTimes,
    testing::Values(
        Sum{"UTC", "2026-01-31", "P1M", 1, "2026-02-28T00:00:00Z"},
        Sum{"UTC", "2026-01-31", "P1M", 2, "2026-03-31T00:00:00Z"},
        Sum{"UTC", "2024-02-29", "P1Y", 1, "2025-02-28T00:00:00Z"},
        Sum{"UTC", "2024-02-29", "P1Y", 4, "2028-02-29T00:00:00Z"},
        Sum{"UTC", "2026-01-01", "P1Y2M3DT4H5M6.789S", 1, "2027-03-04T04:05:06.789Z"},
        Sum{"UTC", "2026-12-31T23:59:59.999Z", "PT0.001S", 1, "2027-01-01T00:00:00Z"},
        // Days first, then months, as Flowable: 1 March and a month.
        Sum{"UTC", "2026-02-28", "P1M1D", 1, "2026-04-01T00:00:00Z"}
    )
);

INSTANTIATE_TEST_SUITE_P(
    ChangesOfClocks,
    SumOfTimes,
    testing::Values(
        Sum{"America/New_York", "2021-03-13T12:00:00-05:00", "P1D", 1, "2021-03-14T12:00:00-04:00"},
        Sum{"America/New_York",
            "2021-03-13T12:00:00-05:00",
            "PT24H",
            1,
            "2021-03-14T13:00:00-04:00"},
        Sum{"America/New_York", "2021-03-13T02:30:00-05:00", "P1D", 1, "2021-03-14T03:30:00-04:00"},
        Sum{"America/New_York", "2021-03-13T02:30:00-05:00", "P1D", 2, "2021-03-15T02:30:00-04:00"},
        Sum{"America/New_York", "2021-11-06T01:30:00-04:00", "P1D", 1, "2021-11-07T01:30:00-04:00"},
        Sum{"Pacific/Apia", "2011-12-29T09:00:00-10:00", "P1D", 1, "2011-12-31T09:00:00+14:00"},
        Sum{"Pacific/Apia", "2011-12-29T09:00:00-10:00", "P1D", 2, "2011-12-31T09:00:00+14:00"}
    )
);

INSTANTIATE_TEST_SUITE_P(
    Bounds,
    SumOfTimes,
    testing::Values(
        Sum{"UTC", "9999-12-31T23:59:59Z", "PT1S", 1, "none"},
        Sum{"UTC", "2026-01-01", "P1000Y", 9, "none"},
        Sum{"UTC", "2026-01-01", "P1000Y", 2'000'000'000, "none"},
        Sum{"UTC", "2026-01-01", "P30000D", 2'000'000'000, "none"},
        Sum{"UTC", "2026-01-01", "PT1S", 2'000'000'000, "2089-05-18T03:33:20Z"}
    )
);

TEST(StartOfDay, Is_the_first_instant_that_shows_the_day) {
    const auto start = [](const char* name, std::chrono::year_month_day day) {
        const Zone zone = zone_named(name);
        return zone.format(start_of_day(zone, std::chrono::local_days{day}));
    };
    EXPECT_EQ(start("Europe/Berlin", std::chrono::year{2024} / 7 / 1), "2024-07-01T00:00:00+02:00");
    EXPECT_EQ(
        start("America/Sao_Paulo", std::chrono::year{2018} / 11 / 4), "2018-11-04T01:00:00-02:00"
    );
    EXPECT_EQ(
        start("America/Havana", std::chrono::year{2024} / 11 / 3), "2024-11-03T00:00:00-04:00"
    );
    EXPECT_EQ(
        start("Pacific/Apia", std::chrono::year{2011} / 12 / 30), "2011-12-31T00:00:00+14:00"
    );
    EXPECT_EQ(
        start("America/St_Johns", std::chrono::year{2011} / 3 / 13), "2011-03-13T00:00:00-03:30"
    );
    EXPECT_EQ(
        start("America/Toronto", std::chrono::year{1919} / 3 / 31), "1919-03-31T00:30:00-04:00"
    );
}

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

}  // namespace
}  // namespace jobstrand::timers
