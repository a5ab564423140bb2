#include "test/fuzz/grammar.hpp"
#include "test/timers/random_cron.hpp"
#include "test/timers/times.hpp"
#include "timers/calendar/business_days.hpp"
#include "timers/calendar/calendar_text.hpp"
#include "timers/cycle/timer_expression.hpp"
#include "timers/series/series_planner.hpp"
#include "timers/zone/zone_rule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <utility>

namespace jobstrand::timers {

namespace {

using schema::CalendarTexts;
using schema::Series;
using schema::TimePoint;
using test::fuzz;
using test::FuzzCount;
using test::Grammar;
using test::nearly_valid;

const Grammar& calendar_grammar() {
    static const Grammar grammar(R"grammar(
    calendar ::= <line> | <line>;<calendar> | <line><nl><calendar> | <blank><line> ; <calendar>
    line     ::= weekly <days> | annual <dates> | holidays <holidays> | monthly <numbers>
               | daily <time>-<time> | daily except <time>-<time> | cron <field> <field> <hour> <day>
               | cron <field> <field> <hour> <day> | zone <zone> | based on <name>
    days     ::= SAT SUN | <weekday> | <weekday> <days> | <weekday><tab><weekday> <days>
    weekday  ::= MON | TUE | WED | THU | FRI | SAT | SUN | sun
    dates    ::= 12-25 | 02-29 | <month>-<date> | <month>-<date> <dates>
    holidays ::= 2027-03-26 | <year>-<month>-<date> | <year>-<month>-<date> <holidays>
    year     ::= 2027 | 2028 | 1970 | 9999 | 2200
    month    ::= 01 | 02 | 06 | 11 | 12 | 13
    date     ::= 01 | 15 | 28 | 29 | 30 | 31 | 32 | 00
    numbers  ::= 1 | 31 | <number> | <number> <numbers>
    number   ::= 1 | 2 | 15 | 28 | 29 | 30 | 31 | 32
    time     ::= 00:00 | <clock> | <clock>:00 | <clock>:59.999 | 23:59:59.999
    clock    ::= 09:00 | 00:00 | 12:30 | 17:45 | 23:59 | 24:00
    field    ::= * | * | 0 | 0-29 | 30-59 | 1-59 | 0/2 | 1/2 | 5,10,15 | 59 | 0-58
    hour     ::= * | 0-7,18-23 | 8-17 | 0/2 | 1/2 | 0-22 | 23
    day      ::= ? * * | * * ? | ? * MON-FRI | ? * SAT,SUN | 1-15 * ? | L * ? | 15W * ? | 29 2 ?
    zone     ::= Europe/Berlin | UTC | America/New_York | Pacific/Apia | Australia/Lord_Howe | +05:30
    name     ::= other | this | nobody | other thing
)grammar");
    return grammar;
}

constexpr std::array kRepeats{
    "0 0 9 * * ?",
    "* * * * * ?",
    "30 30 12 ? * MON",
    "0 0 0 29 2 ?",
    "0/7 * * * * ? 2030",
    "R/PT1S",
    "R5/PT0.001S",
    "R/2026-01-05T09:00Z/P7D",
    "R/2025-12-25T00:00Z/P1Y",
    "R100/2026-02-28T23:30/P1M/2031-01-01"};

/// Whatever a calendar leaves out, a series that begins with it is due at a time that it does not,
/// and goes on in time.
void try_series_with(const CalendarTexts& texts, Dice& dice, TimePoint now) {
    const timers::SeriesPlanner planner;
    Series series;
    series.key = "s";
    series.repeat = dice.any_of(kRepeats);
    series.calendar = "this";
    series.zone = dice.one_in(2) ? "UTC" : "America/New_York";
    series.misfire = dice.one_in(3) ? "smart" : "";
    const auto begun = planner.begin(series, texts, std::nullopt, now);
    if (!begun) {
        ASSERT_FALSE(begun.error().message.empty());
        return;
    }
    const auto calendar = timers::find_calendar("this", texts);
    ASSERT_TRUE(calendar);
    series = begun.value().series;
    for (int turn = 0; turn < 2 && series.next_fire; ++turn) {
        const TimePoint due = *series.next_fire;
        // A cycle with turns to make up for is due at once.
        ASSERT_TRUE(due <= now || is_included(calendar.value(), due))
            << series.repeat << ", due " << timers::text_of(due);
        const auto plan = planner.plan(series, texts, due, std::max(now, due));
        ASSERT_TRUE(plan);
        ASSERT_TRUE(!plan.value().next_due || *plan.value().next_due > due);
        series = plan.value().series;
    }
}

TEST(CalendarFuzz, No_text_of_a_calendar_crashes_it_or_keeps_it_busy) {
    const FuzzCount count = fuzz(
        [](Dice& dice) { return nearly_valid(calendar_grammar(), "calendar", dice); },
        [](const std::string& text, Dice& dice) {
            const auto read = timers::parse_calendar(text);
            if (!read) {
                EXPECT_LE(read.error().position, text.size());
                EXPECT_FALSE(read.error().message.empty());
                return false;
            }
            const CalendarTexts texts{
                {"this", text}, {"other", "weekly SUN"}, {"other thing", "based on other"}};
            EXPECT_TRUE(timers::hangs_on("this", "this", texts));
            const TimePoint now =
                at("2026-01-01T12:00Z") + schema::Duration{dice.between(0, 100'000'000'000)};
            try_series_with(texts, dice, now);
            return true;
        }
    );
    EXPECT_GT(count.taken, count.texts / 5) << "most texts are nearly valid";
}

const Grammar& timer_grammar() {
    static const Grammar grammar(R"grammar(
    text           ::= <cron> | <cycle> | <duration> | <date> | <date>/<date> | <days> business days
                     | <zone rule> | <spoken>
    cron           ::= <seconds> <minutes> <hours> <month days> <months> ?
                     | <seconds> <minutes> <hours> ? <months> <week days>
                     | <seconds> <minutes> <hours> <month days> <months> ? <years>
                     | <minutes> <hours> <unix days> <months> <unix week days> | <nickname>
    seconds        ::= 0 | * | */5 | 30 | 0/7 | 10-50/3 | 59,0 | 60
    minutes        ::= 0 | * | */15 | 5,35 | 10-20 | 55-5 | 59
    hours          ::= 0 | * | 2 | 2-4 | 22-2 | 8-17/3 | */2 | 24
    month days     ::= * | L | L-3 | LW | L-3W | 15W | 1,15 | 29 | 30 | 31 | 1-7 | 10/4 | 32
    months         ::= * | 2 | FEB | JAN-MAR | 1,7 | NOV-FEB | */3 | 13
    week days      ::= MON-FRI | 6#3 | 6L | 1 | SUN | FRI-MON | L | 2,4,6 | 6#6 | 8
    years          ::= 2030 | 2030-2040/2 | * | 1999 | 2199 | 2200
    unix days      ::= * | 1 | */2 | 15,30 | 31
    unix week days ::= * | 0 | 7 | 1-5 | sun,7 | MON | 8
    nickname       ::= @weekly | @daily | @hourly | @yearly | @midnight | @never
    cycle          ::= R/<duration> | R<turns>/<duration> | R/<date>/<duration>
                     | R<turns>/<date>/<duration>/<date> | R<turns>/<duration>/<date> | R<turns>/<date>/<date>
    spoken         ::= 5m | 1h30m | in 2 days | 3 weeks ago | 14:00 | tomorrow 09:00 | yesterday | now
                     | 2027-01-31 10:00 Europe/Berlin | today 24:00 | 500ms | 7 | tomorrow 02:30 Asia/Nowhere
    turns          ::= 3 | 1 | 0 | 1000000000 | 1000000001 | <nothing>
    duration       ::= PT10H | P1M | P1Y2M3W4DT5H6M7.890S | PT0.001S | P0D | PT | P1W | PT99999999H | P1.5D
                     | -P1D
    date           ::= 2026-01-01T00:00:00Z | 2027-01-31 | 2030-01-01T00:00:00+05:30
                     | 2011-12-30T12:13:14.567-10:00 | 2011-12-30T12:13 | 2028-02-29T23:59:59.999Z
                     | 2027-02-29 | 9999-12-31T23:59:59Z | 1969-12-31
    days           ::= 3 | 1 | 0 | 10000 | 10001 | three
    zone rule      ::= EST5EDT,M3.2.0,M11.1.0/3 | CET-1CEST,M3.5.0,M10.5.0/3 | UTC0 | X1Y,J60,J300
)grammar");
    return grammar;
}

/// Whatever a text is, it is read in bounded time, an error lies inside of it, and the times that
/// it names come in order.
void try_text(const std::string& text, const TimerContext& context, schema::TimePoint after) {
    const auto rule = parse_zone_rule(text);
    ASSERT_TRUE(rule || rule.error().position <= text.size());
    const auto expression = parse_timer_expression(text);
    if (!expression) {
        ASSERT_LE(expression.error().position, text.size()) << text;
        ASSERT_FALSE(expression.error().message.empty());
        return;
    }
    // A duration may be none, and a cycle whose turns are all past is due at once.
    const bool may_be_now = std::holds_alternative<schema::IsoDuration>(expression.value()) ||
                            std::holds_alternative<RepeatCycle>(expression.value());
    schema::TimePoint last = after - (may_be_now ? schema::Duration{1} : schema::Duration{0});
    for (const schema::TimePoint time : next_times(expression.value(), context, after, 3)) {
        ASSERT_GT(time, last) << text << " in " << context.zone.name() << " after "
                              << context.zone.format(after);
        last = time;
    }
    if (const auto* cycle = std::get_if<RepeatCycle>(&expression.value())) {
        const auto turn = first_turn(*cycle, context, after);
        ASSERT_TRUE(!turn || turn->due >= after);
        ASSERT_EQ(parse_repeat_cycle(to_text(*cycle)).value(), *cycle) << text;
    }
}

/// A series goes on from turn to turn, never back.
void try_series(const std::string& text, Dice& dice, schema::TimePoint now) {
    const SeriesPlanner planner;
    schema::Series series;
    series.repeat = text;
    series.zone = dice.one_in(2) ? "UTC" : "Europe/Berlin";
    series.misfire = dice.one_in(2) ? "" : dice.any_of(std::array{"smart", "ignore", "2"});
    const auto begun = planner.begin(series, {}, std::nullopt, now);
    if (!begun) {
        ASSERT_LE(begun.error().position, text.size()) << text;
        return;
    }
    series = begun.value().series;
    for (int turn = 0; turn < 3 && series.next_fire; ++turn) {
        const schema::TimePoint due = *series.next_fire;
        now = std::max(now, due) + schema::Duration{dice.between(0, 1'000'000)};
        const auto plan = planner.plan(series, {}, due, now);
        ASSERT_TRUE(plan) << text;
        ASSERT_TRUE(!plan.value().next_due || *plan.value().next_due > due) << text;
        ASSERT_FALSE(planner.repeat_of(plan.value().series).empty());
        series = plan.value().series;
    }
}

TEST(TimerTextFuzz, No_text_crashes_a_parser_or_keeps_it_busy) {
    const std::array zones{
        zone_named("UTC"),
        zone_named("America/New_York"),
        zone_named("Pacific/Apia"),
        zone_named("Australia/Lord_Howe")};
    const Calendar weekdays = weekdays_only(zones[1]);
    const FuzzCount count = fuzz(
        [](Dice& dice) {
            std::string text =
                dice.one_in(3) ? random_cron(dice).text : timer_grammar().draw("text", dice);
            return dice.one_in(3) ? test::damaged(std::move(text), dice) : text;
        },
        [&](const std::string& text, Dice& dice) {
            const TimerContext context{
                dice.any_of(zones),
                dice.one_in(2) ? DstRule::quartz : DstRule::run_once,
                dice.one_in(4) ? &weekdays : nullptr};
            const schema::TimePoint after{
                schema::Duration{dice.between(-1'000'000'000, 253'402'300'799'999)}};
            try_text(text, context, after);
            try_series(text, dice, after);
            return static_cast<bool>(parse_timer_expression(text));
        }
    );
    EXPECT_GT(count.taken, count.texts / 3) << "most texts are nearly valid";
}

}  // namespace

}  // namespace jobstrand::timers
