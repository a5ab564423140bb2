#include "test/timers/random_cron.hpp"
#include "test/timers/seed.hpp"
#include "test/timers/times.hpp"
#include "timers/calendar/calendar_text.hpp"
#include "timers/cycle/timer_expression.hpp"
#include "timers/series/series_planner.hpp"
#include "timers/zone/zone_rule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <string>

namespace jobstrand::timers {
namespace {

using std::chrono::steady_clock;

/// Two seconds, or JOBSTRAND_FUZZ_SECONDS.
std::chrono::seconds fuzz_time() {
    const char* given = std::getenv("JOBSTRAND_FUZZ_SECONDS");
    return std::chrono::seconds{given == nullptr ? 2 : std::stoi(given)};
}

constexpr std::array kTexts{
    "0 0 12 ? * MON-FRI",
    "0 15 10 L-3W,15W * ?",
    "0 0 0 ? * 6#3 2030-2040/2",
    "*/5 2-4 * * sun,7",
    "@weekly",
    "R3/2026-01-01T00:00:00Z/PT10H",
    "R/2027-01-31/P1M/2030-01-01T00:00:00+05:30",
    "P1Y2M3W4DT5H6M7.890S",
    "2011-12-30T12:13:14.567-10:00",
    "2011-12-30T12:13/2012-01-01T00:00",
    "3 business days",
    "EST5EDT,M3.2.0,M11.1.0/3"};

constexpr std::string_view kCharacters = "0123456789*/-,?LW#RPTZSMHYD:.+@ \tabcn";

/// Damages a text in up to eight places; in part of the cases the text grows long.
std::string damaged(std::string text, Dice& dice) {
    for (int i = dice.number(0, 8); i > 0; --i) {
        const auto position = static_cast<std::size_t>(dice.between(0, std::ssize(text)));
        const char c =
            dice.one_in(20) ? static_cast<char>(dice.number(-128, 127)) : dice.any_of(kCharacters);
        switch (dice.number(1, 4)) {
            case 1:
                text.insert(position, 1, c);
                break;
            case 2:
                text.insert(position, text.substr(0, static_cast<std::size_t>(dice.number(0, 40))));
                break;
            case 3:
                text.erase(position, static_cast<std::size_t>(dice.number(1, 5)));
                break;
            default:
                if (position < text.size()) {
                    text[position] = c;
                }
        }
    }
    return text;
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
    const bool is_duration = std::holds_alternative<schema::IsoDuration>(expression.value());
    schema::TimePoint last = after - (is_duration ? schema::Duration{1} : schema::Duration{0});
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

constexpr std::array<const char*, 6> kCalendarTexts{
    "holidays 2027-03-26 2027-03-29",
    "annual 12-25 01-01; weekly SAT SUN",
    "zone Europe/Berlin\nmonthly 1 15",
    "daily 12:00-13:00:00.5",
    "daily except 09:00-17:00; based on x",
    "cron * * 0-7,18-23 ? * *"};

TEST(ParserFuzz, No_text_of_a_calendar_crashes_its_parser) {
    Dice dice(test_seed());
    for (int i = 0; i < 20'000; ++i) {
        const std::string text = damaged(dice.any_of(kCalendarTexts), dice);
        const auto calendar = parse_calendar(text);
        ASSERT_TRUE(calendar || calendar.error().position <= text.size()) << text;
    }
}

TEST(ParserFuzz, No_text_crashes_a_parser_or_keeps_it_busy) {
    Dice dice(test_seed());
    const std::array zones{
        zone_named("UTC"),
        zone_named("America/New_York"),
        zone_named("Pacific/Apia"),
        zone_named("Australia/Lord_Howe")};
    const Calendar weekdays = weekdays_only(zones[1]);
    const auto end = steady_clock::now() + fuzz_time();
    steady_clock::duration slowest{};
    std::string slowest_text;
    std::int64_t texts = 0;
    for (; steady_clock::now() < end; ++texts) {
        const std::string text =
            damaged(dice.one_in(2) ? random_cron(dice).text : dice.any_of(kTexts), dice);
        const TimerContext context{
            dice.any_of(zones),
            dice.one_in(2) ? DstRule::quartz : DstRule::run_once,
            dice.one_in(4) ? &weekdays : nullptr};
        const schema::TimePoint after{
            schema::Duration{dice.between(-1'000'000'000, 253'402'300'799'999)}};
        const auto begin = steady_clock::now();
        ASSERT_NO_FATAL_FAILURE(try_text(text, context, after)) << text;
        ASSERT_NO_FATAL_FAILURE(try_series(text, dice, after)) << text;
        if (const auto time = steady_clock::now() - begin; time > slowest) {
            slowest = time;
            slowest_text = text;
        }
    }
    std::cout << texts << " texts; slowest: " << slowest_text << ", "
              << std::chrono::duration_cast<std::chrono::milliseconds>(slowest).count() << " ms\n";
    // Room for sanitizers on a busy machine.
    EXPECT_LT(slowest, std::chrono::seconds{10}) << slowest_text;
    EXPECT_GT(texts, 100);
}

}  // namespace
}  // namespace jobstrand::timers
