#pragma once

#include "schema/time.hpp"

#include <optional>
#include <string_view>

namespace jobstrand::schema {

/// A time of the day, as the time since midnight UTC: `20:00`, or with an offset from UTC,
/// `20:00+0200`, `20:00+02:00` (Camunda's form). nullopt: it is none.
[[nodiscard]] std::optional<Duration> parse_time_of_day(std::string_view text);

/// The hours of each day in which something is done; it may begin on one day and end on the next.
class DayWindow final {
public:
    /// Without a start and an end it is open all day.
    DayWindow() = default;

    /// Each is 0 to 24 h, since midnight UTC; with equal ones, all day.
    DayWindow(Duration start, Duration end) : start_(start), end_(end) {}

    /// nullopt: a text is no time of the day, or only one of the two is there.
    [[nodiscard]] static std::optional<DayWindow> of(std::string_view start, std::string_view end);

    [[nodiscard]] bool contains(TimePoint time) const;

    /// Returns how long to wait until it is open; zero: it is open.
    [[nodiscard]] Duration wait_at(TimePoint time) const;

private:
    Duration start_{0};
    Duration end_{0};
};

}  // namespace jobstrand::schema
