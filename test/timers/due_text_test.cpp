#include "timers/cycle/due_text.hpp"

#include "test/timers/times.hpp"

#include <gtest/gtest.h>

#include <string>

namespace jobstrand::timers {
namespace {

// A Friday.
constexpr const char* kFriday = "2026-11-20T10:30:00Z";

std::string due(const DueText& text, const schema::CalendarTexts& calendars = {}) {
    const auto date = due_date_of(text, calendars, at(kFriday));
    return date ? text_of(date.value())
                : std::to_string(date.error().position) + ": " + date.error().message;
}

TEST(DueText, Is_whatever_a_timer_text_says) {
    const std::pair<const char*, const char*> cases[]{
        {"2026-11-20T12:00:00Z", "2026-11-20T12:00:00Z"},
        {"PT10M", "2026-11-20T10:40:00Z"},
        {"10m", "2026-11-20T10:40:00Z"},
        {"2026-11-20T10:00Z/PT10H", "2026-11-20T20:00:00Z"},
        {"PT10H/2026-11-21", "2026-11-21T00:00:00Z"},
        {"3 business days", "2026-11-25T10:30:00Z"},
        {"tomorrow 09:00", "2026-11-21T09:00:00Z"},
        {"0 0 12 ? * MON-FRI", "2026-11-20T12:00:00Z"},
        {"@daily", "2026-11-21T00:00:00Z"},
        {"R3/PT10H", "2026-11-20T20:30:00Z"},
        {"now", "2026-11-20T10:30:00Z"},
    };
    for (const auto& [text, expected] : cases) {
        EXPECT_EQ(due({.text = text}), expected) << text;
    }
}

TEST(DueText, A_date_that_has_passed_is_due_then) {
    EXPECT_EQ(due({.text = "2026-11-19"}), "2026-11-19T00:00:00Z");
    EXPECT_EQ(due({.text = "09:00"}), "2026-11-20T09:00:00Z");
    EXPECT_EQ(due({.text = "2026-11-20T00:00Z/PT1H"}), "2026-11-20T01:00:00Z");
}

TEST(DueText, Local_dates_are_in_its_zone) {
    EXPECT_EQ(due({.text = "2026-11-21T09:00", .zone = "Europe/Berlin"}), "2026-11-21T08:00:00Z");
    EXPECT_EQ(due({.text = "0 0 12 * * ?", .zone = "Europe/Berlin"}), "2026-11-20T11:00:00Z");
}

TEST(DueText, Business_days_are_those_that_its_calendar_includes) {
    const schema::CalendarTexts calendars{{"shop", "weekly SUN; holidays 2026-11-21"}};
    EXPECT_EQ(
        due({.text = "1 business day", .calendar = "shop"}, calendars), "2026-11-23T10:30:00Z"
    );
    EXPECT_EQ(
        due({.text = "2 business days", .calendar = "shop"}, calendars), "2026-11-24T10:30:00Z"
    );
}

TEST(DueText, Says_what_is_wrong_and_where) {
    EXPECT_EQ(due({.text = "R3/PT10X"}), "7: expected H, M or S, each once and in this order");
    EXPECT_EQ(due({.text = "0 0 0 31 2 ?"}), "0: this is never due");
    EXPECT_EQ(due({.text = "5m", .zone = "Mars"}).substr(0, 8), "0: zone:");
    EXPECT_EQ(due({.text = "5m", .calendar = "none"}).substr(0, 12), "0: calendar:");
}

}  // namespace
}  // namespace jobstrand::timers
