#include "schema/concurrency.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <optional>
#include <string>

namespace jobstrand::test {

namespace {

using namespace std::chrono_literals;

using schema::parse_start_rate;
using schema::StartRate;
using schema::TimePoint;
using schema::UsedUntil;

constexpr TimePoint kStartOfRate{std::chrono::sys_days{std::chrono::year{2026} / 3 / 1}};

TEST(StartRate, Is_written_as_starts_and_period) {
    const StartRate rate{.starts = 100, .period = 60s};
    EXPECT_EQ(parse_start_rate("100/PT1M").value(), rate);
    EXPECT_EQ(schema::text_of(rate), "100/PT1M");
}

TEST(StartRate, Of_another_form_is_refused_and_told_why) {
    struct Case {
        std::string text;
        std::string message;
    };
    for (const Case& bad : {
             Case{"100", "a rate is written STARTS/PERIOD, as in 100/PT1M"},
             Case{"0/PT1M", "the starts of a rate must be 1 to 1000000"},
             Case{"1000001/PT1M", "the starts of a rate must be 1 to 1000000"},
             Case{"9999999999999/PT1M", "the starts of a rate must be 1 to 1000000"},
             Case{"x/PT1M", "the starts of a rate must be 1 to 1000000"},
             Case{"5x/PT1M", "the starts of a rate must be 1 to 1000000"},
             Case{"5/PT0.9S", "the period of a rate must be PT1S to P1D"},
             Case{"5/P2D", "the period of a rate must be PT1S to P1D"},
         }) {
        const auto parsed = parse_start_rate(bad.text);
        ASSERT_FALSE(parsed) << bad.text;
        EXPECT_EQ(parsed.error().message, bad.message) << bad.text;
    }
    EXPECT_EQ(parse_start_rate("5/minute").error().position, 2U);
}

TEST(StartRate, Of_one_leaves_the_next_one_a_period_later) {
    const StartRate rate{.starts = 1, .period = 10s};
    EXPECT_EQ(schema::starts_left(rate, std::nullopt, kStartOfRate), 1);
    const UsedUntil used = schema::used_after(rate, std::nullopt, kStartOfRate, 1);
    EXPECT_EQ(schema::starts_left(rate, used, kStartOfRate), 0);
    EXPECT_EQ(schema::until_next_starts(rate, used, kStartOfRate), 10s);
    EXPECT_EQ(schema::starts_left(rate, used, kStartOfRate + 9'999ms), 0);
    EXPECT_EQ(schema::starts_left(rate, used, kStartOfRate + 10s), 1);
}

TEST(StartRate, Lets_a_tenth_come_at_once) {
    const StartRate rate{.starts = 100, .period = 60s};
    EXPECT_EQ(schema::starts_left(rate, std::nullopt, kStartOfRate), 10);
    EXPECT_EQ(schema::starts_left(rate, kStartOfRate - 1h, kStartOfRate), 10);
}

TEST(StartRate, Of_which_one_was_used_lets_the_others_come_at_once) {
    for (const int starts : {20, 30, 70, 90}) {
        const StartRate rate{.starts = starts, .period = 20s};
        const UsedUntil used = schema::used_after(rate, std::nullopt, kStartOfRate, 1);
        EXPECT_EQ(schema::starts_left(rate, used, kStartOfRate), starts / 10 - 1) << starts;
    }
}

TEST(StartRate, Is_not_held_up_for_long_by_a_clock_that_has_jumped_back) {
    const StartRate rate{.starts = 10, .period = 60s};
    EXPECT_EQ(schema::starts_left(rate, kStartOfRate + 1h, kStartOfRate), 1);
}

// Whoever takes all that is left at every moment, and whoever waits as he is told to.
TEST(StartRate, Is_kept_in_every_stretch_of_its_length_and_nearly_reached) {
    for (const StartRate& rate : {
             StartRate{.starts = 1, .period = 1s},
             StartRate{.starts = 3, .period = 1s},
             StartRate{.starts = 7, .period = 10s},
             StartRate{.starts = 100, .period = 10s},
             StartRate{.starts = 999, .period = 1s},
         }) {
        for (const bool waits : {false, true}) {
            std::optional<UsedUntil> used;
            std::deque<TimePoint> of_period;
            std::int64_t all = 0;
            const TimePoint end = kStartOfRate + 20 * rate.period;
            for (TimePoint now = kStartOfRate; now < end;) {
                while (!of_period.empty() && of_period.front() <= now - rate.period) {
                    of_period.pop_front();
                }
                const std::int64_t left = schema::starts_left(rate, used, now);
                if (left > 0) {
                    used = schema::used_after(rate, used, now, left);
                    of_period.insert(of_period.end(), static_cast<std::size_t>(left), now);
                    all += left;
                }
                ASSERT_LE(of_period.size(), static_cast<std::size_t>(rate.starts));
                now += waits ? std::max(schema::until_next_starts(rate, used, now), 1ms) : 1ms;
            }
            EXPECT_GE(all, 20 * rate.starts * 85 / 100) << schema::text_of(rate) << waits;
        }
    }
}

}  // namespace

}  // namespace jobstrand::test
