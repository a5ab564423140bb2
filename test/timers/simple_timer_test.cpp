#include "timers/calendar/simple_timer.hpp"

#include "test/timers/times.hpp"

#include <gtest/gtest.h>

namespace jobstrand::timers {
namespace {

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
    const struct {
        SimpleTimer timer;
        std::string_view turns;
    } cases[] = {
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
    const struct {
        schema::Duration asked;
        std::string_view next;
    } cases[] = {
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
    const struct {
        SimpleTimer timer;
        std::string_view last;
    } cases[] = {
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

}  // namespace
}  // namespace jobstrand::timers
