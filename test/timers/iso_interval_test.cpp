#include "timers/cycle/iso_interval.hpp"

#include "test/timers/times.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace jobstrand::timers {
namespace {

/// `start period end`, `-` for what is not given; or `position: message`.
std::string interval_of(std::string_view text, std::size_t offset = 0) {
    const auto parsed = parse_iso_interval(text, offset);
    if (!parsed) {
        return fmt::format("{}: {}", parsed.error().position, parsed.error().message);
    }
    const auto date = [](const std::optional<TimerDate>& d) { return d ? to_text(*d) : "-"; };
    const IsoInterval& interval = parsed.value();
    return fmt::format(
        "{} {} {}", date(interval.start), to_text(interval.period), date(interval.end)
    );
}

TEST(IsoInterval, Reads_every_form) {
    const struct {
        std::string_view text;
        std::string_view interval;
    } cases[] = {
        {"PT10H", "- PT10H -"},
        {"P1Y2M3DT4H", "- P1Y2M3DT4H -"},
        {"2026-01-01T00:00Z/PT1H", "2026-01-01T00:00:00Z PT1H -"},
        {"2026-01-01/P1D", "2026-01-01T00:00:00 P1D -"},
        {"PT1H/2026-02-01T00:00Z", "- PT1H 2026-02-01T00:00:00Z"},
        {"2026-01-01T00:00Z/PT1H/2026-02-01T00:00Z",
         "2026-01-01T00:00:00Z PT1H 2026-02-01T00:00:00Z"},
        {"2026-01-01T00:00Z/2026-01-02T01:30Z", "2026-01-01T00:00:00Z PT25H30M -"},
    };
    for (const auto& [text, interval] : cases) {
        EXPECT_EQ(interval_of(text), interval) << text;
    }
}

TEST(IsoInterval, Of_two_dates_the_period_is_the_time_between_them) {
    EXPECT_EQ(
        interval_of("2026-01-01T00:00+01:00/2026-01-01T00:00Z"), "2025-12-31T23:00:00Z PT1H -"
    ) << "instants are compared, whatever their offsets";
    EXPECT_EQ(interval_of("2026-03-29T00:00/2026-03-30T00:00"), "2026-03-29T00:00:00 PT24H -")
        << "on the wall clock, as both dates are written";
}

TEST(IsoInterval, What_is_wrong_is_said_with_its_place_in_the_whole_text) {
    constexpr std::string_view kForms =
        "expected a duration, or START/DURATION, DURATION/END or START/END";
    const struct {
        std::string_view text;
        std::string problem;
    } cases[] = {
        {"", fmt::format("0: {}", kForms)},
        {"2026-01-01", fmt::format("0: {}", kForms)},
        {"PT1H/PT1H/PT1H", "0: expected 4 digits for the year"},
        {"2026-01-01/PT1H/2026-02-01/PT1H", fmt::format("0: {}", kForms)},
        {"2026-01-01/2026-01-02/PT1H", fmt::format("0: {}", kForms)},
        {"2026-01-01T00:00Z/2026-02-01T00:00",
         "18: start and end must both have an offset, or neither"},
        {"2026-02-01T00:00Z/2026-01-01T00:00Z", "18: the end must be after the start"},
        {"2026-01-01T00:00Z/2026-01-01T00:00Z", "18: the end must be after the start"},
        {"2026-13-01/PT1H", "5: the month must be 1 to 12"},
        {"2026-01-01/PT1H/2026-01-32", "24: the day must be 1 to 31"},
        {"2026-01-01/PTH", "13: expected a number"},
    };
    for (const auto& [text, problem] : cases) {
        EXPECT_EQ(interval_of(text), problem) << text;
    }
}

TEST(IsoInterval, Positions_count_from_the_whole_text_when_it_begins_later) {
    EXPECT_EQ(interval_of("R3/PT10H", 3), "- PT10H -");
    EXPECT_EQ(interval_of("R3/PT", 3), "5: expected a number");
    EXPECT_EQ(interval_of("R3/2026-13-01/PT1H", 3), "8: the month must be 1 to 12");
}

}  // namespace
}  // namespace jobstrand::timers
