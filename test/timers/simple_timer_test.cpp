#include "timers/calendar/simple_timer.hpp"

#include "test/timers/times.hpp"
#include "timers/calendar/business_days.hpp"
#include "timers/cycle/iso_interval.hpp"
#include "timers/cycle/repeat_cycle.hpp"
#include "timers/cycle/repeat_grid.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <utility>

namespace jobstrand::timers {

namespace {

using std::chrono::seconds;
using namespace std::chrono_literals;

const schema::TimePoint kNoon = at("2026-01-01T12:00:00Z");

/// All turns of a timer, at most `most`, as seconds from noon.
std::string turns_of(SimpleTimer timer, const Calendar* calendar = nullptr, int most = 6) {
    std::string turns;
    timer = scheduled(timer, calendar);
    for (int i = 0; i < most && timer.next; ++i) {
        turns += std::to_string((*timer.next - kNoon) / 1s) + " ";
        timer = fired(timer, calendar);
    }
    return turns + (timer.next ? "..." : "end");
}

TEST(SimpleTimer, Its_turns_are_its_start_and_each_repeat) {
    const std::pair<SimpleTimer, std::string_view> cases[]{
        {{.start = kNoon}, "0 end"},
        {{.start = kNoon, .interval = 10s, .repeat_count = 1}, "0 10 end"},
        {{.start = kNoon, .interval = 10s, .repeat_count = 3}, "0 10 20 30 end"},
        {{.start = kNoon, .interval = 60s, .repeat_count = SimpleTimer::kForever},
         "0 60 120 180 240 300 ..."},
        {{.start = kNoon,
          .end = kNoon + 25s,
          .interval = 10s,
          .repeat_count = SimpleTimer::kForever},
         "0 10 20 end"},
        {{.start = kNoon, .end = kNoon + 25s, .interval = 10s, .repeat_count = 1}, "0 10 end"},
        {{.start = kNoon, .end = kNoon + 20s, .interval = 10s, .repeat_count = 9}, "0 10 end"},
    };
    for (const auto& [timer, turns] : cases) {
        EXPECT_EQ(turns_of(timer), turns);
    }
}

TEST(SimpleTimer, The_next_time_is_on_the_grid_wherever_one_asks_from) {
    const SimpleTimer timer{.start = kNoon, .interval = 10s, .repeat_count = 5};
    const std::pair<schema::Duration, std::string_view> cases[]{
        {-1h, "2026-01-01T12:00:00Z"},
        {-1ms, "2026-01-01T12:00:00Z"},
        {0s, "2026-01-01T12:00:10Z"},
        {1ms, "2026-01-01T12:00:10Z"},
        {9'999ms, "2026-01-01T12:00:10Z"},
        {10s, "2026-01-01T12:00:20Z"},
        {49s, "2026-01-01T12:00:50Z"},
        {50s, "none"},
        {1h, "none"},
    };
    for (const auto& [asked, next] : cases) {
        EXPECT_EQ(text_of(time_after(timer, kNoon + asked)), next);
    }
}

TEST(SimpleTimer, A_turn_far_away_is_found_at_once) {
    const SimpleTimer timer{.start = kNoon, .interval = 1ms, .repeat_count = SimpleTimer::kForever};
    EXPECT_EQ(
        text_of(time_after(timer, at("2999-12-31T23:59:59.998Z"))), "2999-12-31T23:59:59.999Z"
    );
}

TEST(SimpleTimer, Its_final_time_is_the_last_repeat_or_the_last_before_its_end) {
    const std::pair<SimpleTimer, std::string_view> cases[]{
        {{.start = kNoon}, "2026-01-01T12:00:00Z"},
        {{.start = kNoon, .interval = 10s, .repeat_count = 3}, "2026-01-01T12:00:30Z"},
        {{.start = kNoon, .interval = 10s, .repeat_count = SimpleTimer::kForever}, "none"},
        {{.start = kNoon,
          .end = kNoon + 25s,
          .interval = 10s,
          .repeat_count = SimpleTimer::kForever},
         "2026-01-01T12:00:20Z"},
        {{.start = kNoon, .end = kNoon + 30s, .interval = 10s, .repeat_count = 3},
         "2026-01-01T12:00:20Z"},
        {{.start = kNoon, .end = kNoon + 31s, .interval = 10s, .repeat_count = 3},
         "2026-01-01T12:00:30Z"},
        {{.start = kNoon, .end = kNoon}, "none"},
        {{.start = kNoon, .end = kNoon - 1s, .interval = 10s, .repeat_count = 3}, "none"},
    };
    for (const auto& [timer, last] : cases) {
        EXPECT_EQ(text_of(final_time(timer)), last);
    }
}

TEST(SimpleTimer, Its_final_time_is_that_of_its_last_turn) {
    for (const int end_ms : {1, 1'000, 9'999, 10'000, 10'001, 35'000, 60'000, 61'000}) {
        const schema::Duration end(end_ms);
        SimpleTimer timer{.start = kNoon, .end = kNoon + end, .interval = 10s, .repeat_count = 6};
        std::optional<schema::TimePoint> last;
        for (timer = scheduled(timer); timer.next; timer = fired(timer)) {
            last = timer.next;
        }
        EXPECT_EQ(text_of(final_time(timer)), text_of(last)) << end.count();
    }
}

TEST(SimpleTimer, A_turn_that_is_excluded_is_left_out_and_counts_against_no_grid_time) {
    const Calendar lunch{{{DailyExclusion{12h + 10s, 12h + 29s}}}};
    EXPECT_EQ(
        turns_of({.start = kNoon, .interval = 10s, .repeat_count = 4}, &lunch), "0 30 40 end"
    );
}

TEST(SimpleTimer, A_timer_whose_calendar_excludes_everything_ends_in_bounded_time) {
    const Calendar never{{{DailyExclusion{0h, 24h - 1ms}}}};
    EXPECT_EQ(
        turns_of({.start = kNoon, .interval = 1s, .repeat_count = SimpleTimer::kForever}, &never),
        "end"
    );
}

TEST(SimpleTimer, One_that_has_taken_all_its_turns_has_no_next) {
    const SimpleTimer timer{
        .start = kNoon, .interval = 10s, .repeat_count = 2, .times_triggered = 3};
    EXPECT_EQ(text_of(time_after(timer, kNoon - 1s)), "none");
}

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
    const std::pair<std::string_view, std::string_view> cases[]{
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
    const std::pair<std::string_view, std::string> cases[]{
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

RepeatCycle cycle(std::string_view text) {
    const auto result = parse_repeat_cycle(text);
    EXPECT_TRUE(result) << text << ": " << (result ? "" : result.error().message);
    return result.value();
}

/// DUEDATE_ and REPEAT_ of a turn.
std::string row_of(const std::optional<RepeatTurn>& turn, const Zone& zone = Zone::utc()) {
    return turn ? zone.format(turn->due) + " " + to_text(turn->cycle) : "none";
}

const schema::TimePoint kNewYear = at("2026-01-01");
const TimerContext kUtc;

TEST(RepeatCycle, Reads_every_form) {
    for (const char* text :
         {"R3/PT10H",
          "R/P1D",
          "R3/2026-01-01T00:00:00Z/PT10H",
          "R3/2026-01-01T00:00:00/PT10H",
          "R3/PT10H/2026-02-01T00:00:00Z",
          "R3/2026-01-01T00:00:00Z/PT10H/2026-02-01T00:00:00Z"}) {
        EXPECT_EQ(to_text(cycle(text)), text);
    }
    EXPECT_EQ(to_text(cycle("R4/2011-03-11T12:13/PT5M")), "R4/2011-03-11T12:13:00/PT5M");
    EXPECT_EQ(
        to_text(cycle("R3/2026-01-01T00:00Z/2026-01-01T02:30Z")), "R3/2026-01-01T00:00:00Z/PT2H30M"
    );
}

TEST(RepeatCycle, A_wrong_text_is_refused_with_what_is_wrong_and_where) {
    const auto error = [](std::string_view text) {
        const auto result = parse_repeat_cycle(text);
        return result ? "none"
                      : std::to_string(result.error().position) + ": " + result.error().message;
    };
    EXPECT_EQ(error("R0/PT1H"), "1: the number of turns must be 1 to 1000000000");
    EXPECT_EQ(error("R9999999999/PT1H"), "1: the number of turns must be 1 to 1000000000");
    EXPECT_EQ(error("R3"), "2: expected '/' and a duration or a start");
    EXPECT_EQ(error("R3/"), "3: expected a duration, or START/DURATION, DURATION/END or START/END");
    EXPECT_EQ(error("R3/PT"), "5: expected a number");
    EXPECT_EQ(error("R3/PT0S"), "3: a repeating timer needs a period longer than nothing");
    EXPECT_EQ(error("R3/2026-01-32T00:00Z/PT1H"), "11: the day must be 1 to 31");
    EXPECT_EQ(
        error("R3/2026-01-01T00:00Z/PT1X"), "24: expected H, M or S, each once and in this order"
    );
    EXPECT_EQ(
        error("R3/2026-01-02T00:00Z/2026-01-01T00:00Z"), "21: the end must be after the start"
    );
    EXPECT_EQ(
        error("R3/2026-01-02T00:00/2026-01-03T00:00Z"),
        "20: start and end must both have an offset, or neither"
    );
    EXPECT_EQ(error("R3/PT1H/PT2H"), "8: expected 4 digits for the year");
    EXPECT_EQ(
        error("R/2030-01-01T00:00:00+05:30/9999-12-31T23:59:59Z"),
        "2: the period of a repeating timer is too long"
    );
    EXPECT_NE(error("R3/2026-01-01/PT1H/2026-02-01/2026-03-01"), "none");
}

// Flowable: R3/PT10H becomes R3/<now>/PT10H when it is enqueued.
TEST(RepeatCycle, Is_anchored_when_it_is_enqueued) {
    EXPECT_EQ(
        row_of(first_turn(cycle("R3/PT10H"), kUtc, kNewYear)),
        "2026-01-01T10:00:00Z R3/2026-01-01T00:00:00Z/PT10H"
    );
    EXPECT_EQ(
        row_of(first_turn(cycle("R3/PT10H/2026-01-02"), kUtc, kNewYear)),
        "2026-01-01T10:00:00Z R3/2026-01-01T00:00:00Z/PT10H/2026-01-02T00:00:00"
    );
}

TEST(RepeatCycle, A_start_to_come_is_the_first_turn) {
    EXPECT_EQ(
        row_of(first_turn(cycle("R3/2027-01-01T00:00:00Z/PT10H"), kUtc, kNewYear)),
        "2027-01-01T00:00:00Z R3/2027-01-01T00:00:00Z/PT10H"
    );
    EXPECT_EQ(
        row_of(first_turn(cycle("R/2025-12-31T18:00:00Z/PT10H"), kUtc, kNewYear)),
        "2026-01-01T04:00:00Z R/2025-12-31T18:00:00Z/PT10H"
    );
}

// The examples of Flowable's own tests: R2/PT10S, started at 0, asked at +15 s and at +30 s.
TEST(RepeatCycle, The_first_turn_of_a_limited_series_looks_one_period_behind_its_turns) {
    const RepeatCycle two = cycle("R2/2026-01-01T00:00:00Z/PT10S");
    const auto due = [&](int second) {
        return text_of(first_turn(two, kUtc, kNewYear + seconds{second})->due);
    };
    EXPECT_EQ(due(0), "2026-01-01T00:00:10Z");
    EXPECT_EQ(due(15), "2026-01-01T00:00:20Z");
    EXPECT_EQ(due(30), "2026-01-01T00:00:30Z");
    EXPECT_EQ(due(35), "2026-01-01T00:00:35Z");
}

TEST(RepeatCycle, A_limited_series_ends_after_its_turns) {
    auto turn = first_turn(cycle("R3/PT10H"), kUtc, kNewYear);
    turn = turn_after(turn->cycle, kUtc, turn->due, turn->due);
    EXPECT_EQ(row_of(turn), "2026-01-01T20:00:00Z R2/2026-01-01T00:00:00Z/PT10H");
    turn = turn_after(turn->cycle, kUtc, turn->due, turn->due);
    EXPECT_EQ(row_of(turn), "2026-01-02T06:00:00Z R1/2026-01-01T00:00:00Z/PT10H");
    EXPECT_EQ(row_of(turn_after(turn->cycle, kUtc, turn->due, turn->due)), "none");
}

TEST(RepeatCycle, An_endless_series_skips_missed_turns) {
    const RepeatCycle endless = cycle("R/2026-01-01T00:00:00Z/PT10S");
    EXPECT_EQ(
        row_of(turn_after(endless, kUtc, kNewYear + seconds{10}, kNewYear + seconds{35})),
        "2026-01-01T00:00:40Z R/2026-01-01T00:00:00Z/PT10S"
    );
    EXPECT_EQ(
        row_of(turn_after(endless, kUtc, kNewYear + seconds{10}, kNewYear + seconds{40})),
        "2026-01-01T00:00:50Z R/2026-01-01T00:00:00Z/PT10S"
    );
}

TEST(RepeatCycle, A_limited_series_catches_up_one_turn_after_the_other) {
    std::optional<RepeatTurn> turn = first_turn(cycle("R5/PT10S"), kUtc, kNewYear);
    std::string due = text_of(turn->due).substr(17);
    // The node slept until second 35: turns 1 to 3 are taken then.
    for (const int second : {35, 36, 37, 40, 50}) {
        turn = turn_after(turn->cycle, kUtc, turn->due, kNewYear + seconds{second});
        due += turn ? " " + text_of(turn->due).substr(17) : " none";
    }
    EXPECT_EQ(due, "10Z 20Z 30Z 40Z 50Z none");
}

TEST(RepeatCycle, No_turn_is_due_after_the_end) {
    const RepeatCycle limited = cycle("R/2026-01-01T00:00:00Z/PT10H/2026-01-01T20:00:00Z");
    EXPECT_EQ(
        text_of(turn_after(limited, kUtc, at("2026-01-01T10:00Z"), at("2026-01-01T10:00Z"))->due),
        "2026-01-01T20:00:00Z"
    );
    EXPECT_EQ(
        row_of(turn_after(limited, kUtc, at("2026-01-01T20:00Z"), at("2026-01-01T20:00Z"))), "none"
    );
    EXPECT_EQ(row_of(first_turn(limited, kUtc, at("2026-02-01"))), "none");
}

// Flowable's tests for daylight saving: the time of day stays, and nothing drifts.
TEST(RepeatCycle, Days_keep_their_time_on_the_wall_clock) {
    const Zone new_york = zone_named("America/New_York");
    EXPECT_EQ(
        texts_of(
            grid_times(cycle("R/2021-03-13T02:30:00/P1D"), {new_york}, at("2021-03-13"), 4),
            new_york
        ),
        "2021-03-13T02:30:00-05:00 2021-03-14T03:30:00-04:00 2021-03-15T02:30:00-04:00 "
        "2021-03-16T02:30:00-04:00"
    );
    EXPECT_EQ(
        texts_of(
            grid_times(cycle("R/2021-11-06T01:30:00/P1D"), {new_york}, at("2021-11-06"), 3),
            new_york
        ),
        "2021-11-06T01:30:00-04:00 2021-11-07T01:30:00-04:00 2021-11-08T01:30:00-05:00"
    );
    EXPECT_EQ(
        texts_of(
            grid_times(cycle("R/2021-03-13T02:30:00/PT24H"), {new_york}, at("2021-03-13"), 3),
            new_york
        ),
        "2021-03-13T02:30:00-05:00 2021-03-14T03:30:00-04:00 2021-03-15T03:30:00-04:00"
    );
}

TEST(RepeatCycle, Months_keep_the_last_day_of_their_start) {
    EXPECT_EQ(
        texts_of(grid_times(cycle("R/2027-01-31T00:00:00Z/P1M"), kUtc, kNewYear, 5)),
        "2027-01-31T00:00:00Z 2027-02-28T00:00:00Z 2027-03-31T00:00:00Z 2027-04-30T00:00:00Z "
        "2027-05-31T00:00:00Z"
    );
}

TEST(GridTimes, Are_the_turns_of_a_timer_that_is_enqueued_then) {
    const auto times = [](std::string_view text, std::string_view after) {
        return texts_of(grid_times(cycle(text), kUtc, at(after), 4));
    };
    EXPECT_EQ(
        times("R3/PT10H", "2026-01-01"),
        "2026-01-01T10:00:00Z 2026-01-01T20:00:00Z 2026-01-02T06:00:00Z"
    );
    EXPECT_EQ(
        times("R2/2027-01-01T00:00:00Z/P1D", "2026-01-01"),
        "2027-01-01T00:00:00Z 2027-01-02T00:00:00Z"
    );
    EXPECT_EQ(
        times("R2/2027-01-01T00:00:00Z/P1D", "2027-01-01"),
        "2027-01-02T00:00:00Z 2027-01-03T00:00:00Z"
    );
    EXPECT_EQ(
        times("R2/2027-01-01T00:00:00Z/P1D", "2027-01-03"),
        "2027-01-04T00:00:00Z 2027-01-05T00:00:00Z"
    );
    EXPECT_EQ(
        times("R2/2027-01-01T00:00:00Z/P1D", "2027-01-09T12:00Z"),
        "2027-01-09T12:00:00Z 2027-01-10T00:00:00Z"
    ) << "when all times of its grid have passed, the first turn is due at once";
    EXPECT_EQ(times("R2/2027-01-01T00:00:00Z/P1D/2027-01-02T00:00:00Z", "2027-01-09"), "none");
    EXPECT_EQ(
        times("R/PT10H/2026-01-01T21:00:00Z", "2026-01-01"),
        "2026-01-01T10:00:00Z 2026-01-01T20:00:00Z"
    );
}

TEST(GridTimes, Leave_out_what_the_calendar_excludes) {
    const Calendar weekdays = weekdays_only(Zone::utc());
    const TimerContext context{Zone::utc(), DstRule::quartz, &weekdays};
    EXPECT_EQ(
        texts_of(grid_times(cycle("R/2026-01-01T09:00:00Z/P1D"), context, kNewYear, 4)),
        "2026-01-01T09:00:00Z 2026-01-02T09:00:00Z 2026-01-05T09:00:00Z 2026-01-06T09:00:00Z"
    );
    // 2 January 2026 is a Friday.
    const auto friday_night = at("2026-01-02T23:59:59Z");
    EXPECT_EQ(
        text_of(
            turn_after(cycle("R/2026-01-01T09:00:00Z/PT1S"), context, friday_night, friday_night)
                ->due
        ),
        "2026-01-05T00:00:00Z"
    );
}

TEST(GridTimes, A_limited_series_goes_on_behind_what_its_calendar_excludes) {
    const Calendar weekdays = weekdays_only(Zone::utc());
    const TimerContext context{Zone::utc(), DstRule::quartz, &weekdays};
    const RepeatCycle five_left = cycle("R5/2026-01-01T09:00:00Z/P1D");
    const auto monday = at("2026-01-05T09:00:00Z");
    EXPECT_EQ(text_of(turn_after(five_left, context, monday, monday)->due), "2026-01-06T09:00:00Z");
}

// A series that began long ago is asked in one step, not by walking through its turns.
TEST(RepeatGrid, Finds_the_next_index_at_once) {
    const auto begin = std::chrono::steady_clock::now();
    for (const char* period :
         {"PT0.001S", "PT1S", "P1D", "P1W", "P1M", "P1Y", "P1Y1M1DT1S", "P1MT1S"}) {
        for (const char* zone : {"UTC", "America/New_York", "Pacific/Apia"}) {
            const RepeatGrid grid(
                at("1970-01-31T01:30Z"),
                schema::parse_iso_duration(period).value(),
                zone_named(zone)
            );
            for (const char* now :
                 {"1970-01-31T01:30Z", "2011-12-30T10:00Z", "2026-03-08T07:30Z", "9990-01-01"}) {
                const std::int64_t index = grid.index_after(at(now));
                EXPECT_GT(*grid.at(index), at(now)) << period << " " << zone;
                EXPECT_LE(*grid.at(index - 1), at(now)) << period << " " << zone;
            }
        }
    }
    EXPECT_LT(std::chrono::steady_clock::now() - begin, seconds{5});
}

}  // namespace

}  // namespace jobstrand::timers
