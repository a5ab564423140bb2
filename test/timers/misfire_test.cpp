#include "timers/series/misfire.hpp"

#include "test/timers/times.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace jobstrand::timers {
namespace {

using namespace std::chrono_literals;

const schema::TimePoint kWoken = at("2026-01-01T12:00Z");

/// Every 10 s, begun 35 s ago, with the turn after `fired` ones missed.
SimpleTimer missed(int repeat_count, int fired) {
    return {
        .start = kWoken - 35s,
        .interval = 10s,
        .repeat_count = repeat_count,
        .times_triggered = fired,
        .next = kWoken - 35s + fired * 10s,
    };
}

std::string seconds_from_now(const std::optional<schema::TimePoint>& time) {
    return time ? fmt::format(
                      "{:+}",
                      std::chrono::duration_cast<std::chrono::seconds>(*time - kWoken).count()
                  )
                : "none";
}

/// The turns to come, if they are few.
std::string turns_to_come(SimpleTimer timer) {
    int turns = 0;
    for (; timer.next && turns < 100; ++turns) {
        timer = fired(timer);
    }
    return turns == 100 ? "endless" : std::to_string(turns);
}

/// Next turn, start, repeat count, turns that have fired, final turn, turns to come.
std::string summary(const SimpleTimer& timer) {
    return fmt::format(
        "next {} start {} repeats {} fired {} final {} turns {}",
        seconds_from_now(timer.next),
        seconds_from_now(timer.start),
        timer.repeat_count,
        timer.times_triggered,
        timer.next ? seconds_from_now(final_time(timer)) : "none",
        turns_to_come(timer)
    );
}

struct MisfireRow {
    SimpleMisfire instruction;
    int repeat_count;
    int fired;
    const char* expected;
};

class MisfireOfSimpleTimer : public testing::TestWithParam<MisfireRow> {};

TEST_P(MisfireOfSimpleTimer, Is_what_Quartz_computes) {
    const MisfireRow& row = GetParam();
    EXPECT_EQ(
        summary(after_misfire(missed(row.repeat_count, row.fired), row.instruction, kWoken)),
        row.expected
    ) << "instruction "
      << static_cast<int>(row.instruction) << ", " << row.repeat_count << "/" << row.fired;
}

constexpr int kForever = SimpleTimer::kForever;
using enum SimpleMisfire;

// The columns of the reference's table: repeat count and turns fired at the misfire.
constexpr MisfireRow kMissedOnce[] = {
    {ignore, 0, 0, "next -35 start -35 repeats 0 fired 0 final -35 turns 1"},
    {smart, 0, 0, "next +0 start -35 repeats 0 fired 0 final -35 turns 1"},
    {fire_now, 0, 0, "next +0 start -35 repeats 0 fired 0 final -35 turns 1"},
    {now_with_existing, 0, 0, "next +0 start +0 repeats 0 fired 0 final +0 turns 1"},
    {now_with_remaining, 0, 0, "next +0 start +0 repeats 0 fired 0 final +0 turns 1"},
    {next_with_remaining, 0, 0, "next none start -35 repeats 0 fired 0 final none turns 0"},
    {next_with_existing, 0, 0, "next none start -35 repeats 0 fired 0 final none turns 0"},
};
INSTANTIATE_TEST_SUITE_P(Once, MisfireOfSimpleTimer, testing::ValuesIn(kMissedOnce));

// R131 to R137
constexpr MisfireRow kNoneFired[] = {
    {ignore, 9, 0, "next -35 start -35 repeats 9 fired 0 final +55 turns 10"},
    {smart, 9, 0, "next +0 start +0 repeats 9 fired 0 final +90 turns 10"},
    {fire_now, 9, 0, "next +0 start +0 repeats 6 fired 0 final +60 turns 7"},
    {now_with_existing, 9, 0, "next +0 start +0 repeats 9 fired 0 final +90 turns 10"},
    {now_with_remaining, 9, 0, "next +0 start +0 repeats 6 fired 0 final +60 turns 7"},
    {next_with_remaining, 9, 0, "next +5 start -35 repeats 9 fired 4 final +55 turns 6"},
    {next_with_existing, 9, 0, "next +5 start -35 repeats 9 fired 0 final +55 turns 6"},
};
INSTANTIATE_TEST_SUITE_P(NineRepeatsNoneFired, MisfireOfSimpleTimer, testing::ValuesIn(kNoneFired));

constexpr MisfireRow kTwoFired[] = {
    {ignore, 9, 2, "next -15 start -35 repeats 9 fired 2 final +55 turns 8"},
    {smart, 9, 2, "next +0 start +0 repeats 7 fired 0 final +70 turns 8"},
    {fire_now, 9, 2, "next +0 start +0 repeats 6 fired 0 final +60 turns 7"},
    {now_with_existing, 9, 2, "next +0 start +0 repeats 7 fired 0 final +70 turns 8"},
    {now_with_remaining, 9, 2, "next +0 start +0 repeats 6 fired 0 final +60 turns 7"},
    {next_with_remaining, 9, 2, "next +5 start -35 repeats 9 fired 4 final +55 turns 6"},
    {next_with_existing, 9, 2, "next +5 start -35 repeats 9 fired 2 final +55 turns 6"},
};
INSTANTIATE_TEST_SUITE_P(NineRepeatsTwoFired, MisfireOfSimpleTimer, testing::ValuesIn(kTwoFired));

constexpr MisfireRow kOneFired[] = {
    {ignore, 3, 1, "next -25 start -35 repeats 3 fired 1 final -5 turns 3"},
    {smart, 3, 1, "next +0 start +0 repeats 2 fired 0 final +20 turns 3"},
    {fire_now, 3, 1, "next +0 start +0 repeats 0 fired 0 final +0 turns 1"},
    {now_with_existing, 3, 1, "next +0 start +0 repeats 2 fired 0 final +20 turns 3"},
    {now_with_remaining, 3, 1, "next +0 start +0 repeats 0 fired 0 final +0 turns 1"},
    {next_with_remaining, 3, 1, "next none start -35 repeats 3 fired 1 final none turns 0"},
    {next_with_existing, 3, 1, "next none start -35 repeats 3 fired 1 final none turns 0"},
};
INSTANTIATE_TEST_SUITE_P(ThreeRepeatsOneFired, MisfireOfSimpleTimer, testing::ValuesIn(kOneFired));

// Those that repeat for ever have the repeat count -1.
constexpr MisfireRow kEndless[] = {
    {ignore, -1, 0, "next -35 start -35 repeats -1 fired 0 final none turns endless"},
    {smart, -1, 0, "next +5 start -35 repeats -1 fired 4 final none turns endless"},
    {fire_now, -1, 0, "next +0 start +0 repeats -1 fired 0 final none turns endless"},
    {now_with_existing, -1, 0, "next +0 start +0 repeats -1 fired 0 final none turns endless"},
    {now_with_remaining, -1, 0, "next +0 start +0 repeats -1 fired 0 final none turns endless"},
    {next_with_remaining, -1, 0, "next +5 start -35 repeats -1 fired 4 final none turns endless"},
    {next_with_existing, -1, 0, "next +5 start -35 repeats -1 fired 0 final none turns endless"},
};
INSTANTIATE_TEST_SUITE_P(Endless, MisfireOfSimpleTimer, testing::ValuesIn(kEndless));

TEST(Misfire, A_repeating_timer_whose_end_has_passed_has_ended) {
    for (int number = 0; number <= 5; ++number) {
        SimpleTimer timer = missed(9, 0);
        timer.end = kWoken - 1s;
        EXPECT_FALSE(after_misfire(timer, *simple_misfire(number), kWoken).next) << number;
    }
}

TEST(Misfire, The_next_grid_time_respects_the_calendar) {
    const Calendar calendar{{{DailyExclusion{12h, 12h + 20s}}}};
    const auto next = [&](SimpleMisfire instruction) {
        return seconds_from_now(
            after_misfire(missed(kForever, 0), instruction, kWoken, &calendar).next
        );
    };
    EXPECT_EQ(next(next_with_existing), "+25");
    EXPECT_EQ(next(fire_now), "+0");
}

// R119
TEST(Misfire, A_turn_is_missed_when_it_is_later_than_the_threshold) {
    EXPECT_FALSE(is_misfired(kWoken - 60s, kWoken));
    EXPECT_TRUE(is_misfired(kWoken - 60s - 1ms, kWoken));
    EXPECT_TRUE(is_misfired(kWoken - 6s, kWoken, 5s));
}

// R128 to R130: every ten minutes, first missed 50 minutes ago.
TEST(Misfire, Of_a_cron_timer_is_what_Quartz_computes) {
    const WallTimer timer{cron("0 0/10 * * * ?")};
    const schema::TimePoint now = kWoken + 3min;
    const auto due = [&](CronMisfire instruction) {
        return text_of(after_misfire(timer, kWoken - 50min, instruction, now));
    };
    EXPECT_EQ(due(CronMisfire::ignore), "2026-01-01T11:10:00Z");
    EXPECT_EQ(due(CronMisfire::smart), "2026-01-01T12:03:00Z");
    EXPECT_EQ(due(CronMisfire::fire_once_now), "2026-01-01T12:03:00Z");
    EXPECT_EQ(due(CronMisfire::do_nothing), "2026-01-01T12:10:00Z");
}

TEST(Misfire, Of_a_cron_timer_that_does_nothing_respects_end_and_calendar) {
    WallTimer timer{cron("0 0/10 * * * ?")};
    const Calendar calendar{{{DailyExclusion{12h, 13h}}}};
    const auto due = [&] {
        return text_of(
            after_misfire(timer, kWoken - 50min, CronMisfire::do_nothing, kWoken, &calendar)
        );
    };
    EXPECT_EQ(due(), "2026-01-01T13:10:00Z");
    timer.end = at("2026-01-01T13:10Z");
    EXPECT_EQ(due(), "2026-01-01T13:10:00Z");
    timer.end = at("2026-01-01T13:09Z");
    EXPECT_EQ(due(), "none");
}

TEST(Misfire, Numbers_that_Quartz_does_not_have_are_refused) {
    EXPECT_EQ(simple_misfire(-1), ignore);
    EXPECT_EQ(simple_misfire(5), next_with_existing);
    EXPECT_FALSE(simple_misfire(6));
    EXPECT_FALSE(simple_misfire(-2));
    EXPECT_EQ(cron_misfire(2), CronMisfire::do_nothing);
    EXPECT_FALSE(cron_misfire(3));
}

// R132: repeat_count + 1 turns in all.
TEST(SimpleTimer, Fires_once_more_than_it_repeats) {
    SimpleTimer timer = scheduled({.start = kWoken, .interval = 10s, .repeat_count = 2});
    EXPECT_EQ(seconds_from_now(timer.next), "+0");
    EXPECT_EQ(seconds_from_now(final_time(timer)), "+20");
    EXPECT_EQ(turns_to_come(timer), "3");
}

TEST(SimpleTimer, Does_not_fire_at_its_end) {
    const SimpleTimer timer{
        .start = kWoken, .end = kWoken + 20s, .interval = 10s, .repeat_count = kForever};
    EXPECT_EQ(seconds_from_now(time_after(timer, kWoken)), "+10");
    EXPECT_EQ(seconds_from_now(time_after(timer, kWoken + 10s)), "none");
    EXPECT_EQ(seconds_from_now(final_time(timer)), "+10");
}

TEST(SimpleTimer, Keeps_to_elapsed_time_over_a_change_of_clocks) {
    const Zone zone = zone_named("America/New_York");
    const SimpleTimer timer{
        .start = at("2021-03-13T02:30:00-05:00"), .interval = 24h, .repeat_count = kForever};
    EXPECT_EQ(text_of(time_after(timer, timer.start), zone), "2021-03-14T03:30:00-04:00");
}

TEST(SimpleTimer, Begins_at_the_first_grid_time_that_is_included) {
    const Calendar calendar{{{DailyExclusion{12h, 12h + 34s}}}};
    const auto first = [&](int repeat_count) {
        const SimpleTimer timer{.start = kWoken, .interval = 10s, .repeat_count = repeat_count};
        return seconds_from_now(scheduled(timer, &calendar).next);
    };
    EXPECT_EQ(first(9), "+40");
    EXPECT_EQ(first(3), "none");
}

}  // namespace
}  // namespace jobstrand::timers
