#include "schema/history/day_window.hpp"

#include <charconv>
#include <string>

namespace jobstrand::schema {

namespace {

constexpr Duration kDay = std::chrono::hours(24);
constexpr int kHours = 24;
constexpr int kMinutes = 60;

/// The number that two digits at a position are; -1: there are none.
int two_digits(std::string_view text, std::size_t position, int end) {
    int number = -1;
    if (position + 2 <= text.size()) {
        const char* const from = text.data() + position;
        const auto [last, error] = std::from_chars(from, from + 2, number);
        if (error != std::errc{} || last != from + 2) {
            return -1;
        }
    }
    return number < end ? number : -1;
}

std::optional<Duration> hours_and_minutes(std::string_view text, std::size_t minutes_at) {
    const int hours = two_digits(text, 0, kHours);
    const int minutes = two_digits(text, minutes_at, kMinutes);
    if (hours < 0 || minutes < 0 || text.size() != minutes_at + 2) {
        return std::nullopt;
    }
    return std::chrono::hours(hours) + std::chrono::minutes(minutes);
}

/// `+0200`, `-02:00`, `Z`, or nothing.
std::optional<Duration> offset_of(std::string_view text) {
    if (text.empty() || text == "Z") {
        return Duration{0};
    }
    const bool is_west = text.front() == '-';
    if (!is_west && text.front() != '+') {
        return std::nullopt;
    }
    const std::string_view digits = text.substr(1);
    const auto offset = hours_and_minutes(digits, digits.find(':') == 2 ? 3 : 2);
    return offset && is_west ? std::optional(-*offset) : offset;
}

Duration within_a_day(Duration time) {
    return (time % kDay + kDay) % kDay;
}

}  // namespace

std::optional<Duration> parse_time_of_day(std::string_view text) {
    constexpr std::size_t kLength = 5;  // `20:00`
    constexpr std::size_t kColon = 2;
    if (text.size() < kLength || text[kColon] != ':') {
        return std::nullopt;
    }
    const auto time = hours_and_minutes(text.substr(0, kLength), kColon + 1);
    const auto offset = offset_of(text.substr(kLength));
    return time && offset ? std::optional(within_a_day(*time - *offset)) : std::nullopt;
}

std::optional<DayWindow> DayWindow::of(std::string_view start, std::string_view end) {
    if (start.empty() && end.empty()) {
        return DayWindow();
    }
    const auto from = parse_time_of_day(start);
    const auto to = parse_time_of_day(end);
    return from && to ? std::optional(DayWindow(*from, *to)) : std::nullopt;
}

bool DayWindow::contains(TimePoint time) const {
    return wait_at(time) == Duration{0};
}

Duration DayWindow::wait_at(TimePoint time) const {
    const Duration since_start = within_a_day(time.time_since_epoch() - start_);
    const Duration length = within_a_day(end_ - start_);
    const bool is_open = length == Duration{0} || since_start < length;
    return is_open ? Duration{0} : kDay - since_start;
}

}  // namespace jobstrand::schema
