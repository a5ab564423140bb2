#include "timers/series/due_check.hpp"

#include "test/timers/times.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace jobstrand::timers {
namespace {

using schema::Series;

Series due_at(std::string repeat, std::string_view due, std::string zone = "Europe/Berlin") {
    Series series;
    series.key = "s";
    series.repeat = std::move(repeat);
    series.zone = std::move(zone);
    series.next_fire = at(due);
    return series;
}

// 09:00 in Berlin is 07:00 in UTC in summer, by the rules of 2026.
TEST(DueCheck, A_turn_that_was_made_by_other_rules_of_its_zone_is_seen) {
    EXPECT_TRUE(is_due_by_text(due_at("0 9 * * *", "2026-07-01T07:00Z")));
    EXPECT_FALSE(is_due_by_text(due_at("0 9 * * *", "2026-07-01T08:00Z")));
}

TEST(DueCheck, A_cycle_of_days_goes_by_the_wall_and_one_of_hours_does_not) {
    Series days = due_at("R/2026-01-01T09:00/P1D", "2026-07-01T07:00Z");
    days.start = at("2026-01-01T08:00Z");
    EXPECT_TRUE(is_due_by_text(days));
    days.next_fire = at("2026-07-01T08:00Z");
    EXPECT_FALSE(is_due_by_text(days));
    days.repeat = "R/2026-01-01T09:00/PT24H";
    EXPECT_TRUE(is_due_by_text(days));
}

TEST(DueCheck, What_no_rule_can_have_moved_is_right) {
    EXPECT_TRUE(is_due_by_text(due_at("0 9 * * *", "2026-07-01T08:00Z", "UTC")));
    EXPECT_TRUE(is_due_by_text(due_at("nonsense", "2026-07-01T08:00Z")));
    Series ended = due_at("0 9 * * *", "2026-07-01T08:00Z");
    ended.next_fire.reset();
    EXPECT_TRUE(is_due_by_text(ended));
}

}  // namespace
}  // namespace jobstrand::timers
