#include "schema/text/iso8601.hpp"
#include "schema/text/text_scanner.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <string_view>

namespace jobstrand::schema {
namespace {

std::chrono::sys_days read_date(TextScanner& scanner) {
    const int year = scanner.digits(4, "year", 1970, 9999);
    scanner.expect('-', "'-' before the month");
    const int month = scanner.digits(2, "month", 1, 12);
    scanner.expect('-', "'-' before the day");
    const std::size_t day_position = scanner.position();
    const int day = scanner.digits(2, "day", 1, 31);
    const std::chrono::year_month_day date{
        std::chrono::year{year},
        std::chrono::month{static_cast<unsigned>(month)},
        std::chrono::day{static_cast<unsigned>(day)}};
    if (!date.ok()) {
        scanner.fail_at(day_position, "the month has no such day");
    }
    return date;
}

Duration read_time_of_day(TextScanner& scanner) {
    const std::chrono::hours hours{scanner.digits(2, "hour", 0, 23)};
    scanner.expect(':', "':' before the minute");
    const std::chrono::minutes minutes{scanner.digits(2, "minute", 0, 59)};
    Duration time = hours + minutes;
    if (scanner.take(':')) {
        time += std::chrono::seconds{scanner.digits(2, "second", 0, 59)};
        if (scanner.take('.')) {
            time += Duration{scanner.milliseconds()};
        }
    }
    return time;
}

/// How far the written local time is ahead of UTC.
std::chrono::minutes read_offset(TextScanner& scanner) {
    if (scanner.take('Z')) {
        return std::chrono::minutes{0};
    }
    const bool behind = scanner.take('-');
    if (!behind) {
        scanner.expect('+', "Z or an offset such as +01:00");
    }
    const std::chrono::hours hours{scanner.digits(2, "hours of the offset", 0, 23)};
    scanner.expect(':', "':' in the offset");
    const std::chrono::minutes minutes{scanner.digits(2, "minutes of the offset", 0, 59)};
    return behind ? -(hours + minutes) : hours + minutes;
}

void append_padded(std::string& text, std::int64_t number, std::size_t width) {
    std::array<char, 24> digits;
    const char* const end = std::to_chars(digits.begin(), digits.end(), number).ptr;
    const auto size = static_cast<std::size_t>(end - digits.begin());
    text.append(width - std::min(width, size), '0').append(digits.begin(), size);
}

}  // namespace

ParseResult<TimePoint> parse_instant(std::string_view text) {
    TextScanner scanner(text);
    TimePoint instant = read_date(scanner);
    if (scanner.take('T')) {
        instant += read_time_of_day(scanner);
        instant -= read_offset(scanner);
    }
    scanner.expect_end();
    if (instant < kEarliestInstant || instant > kLatestInstant) {
        scanner.fail_at(0, "the year in UTC must be 1970 to 9999");
    }
    return scanner.result(instant);
}

std::string format_instant(TimePoint instant) {
    const auto day = std::chrono::floor<std::chrono::days>(instant);
    const std::chrono::year_month_day date{day};
    const std::chrono::hh_mm_ss time(instant - day);
    struct Part {
        std::int64_t number;
        std::size_t width;
        char behind;
    };
    const std::array parts{
        Part{int{date.year()}, 4, '-'},
        Part{unsigned{date.month()}, 2, '-'},
        Part{unsigned{date.day()}, 2, 'T'},
        Part{time.hours().count(), 2, ':'},
        Part{time.minutes().count(), 2, ':'},
        Part{time.seconds().count(), 2, '.'},
        Part{time.subseconds().count(), 3, 'Z'}};
    std::string text;
    text.reserve(std::string_view("2026-01-31T00:00:00.000Z").size());
    for (const Part& part : parts) {
        append_padded(text, part.number, part.width);
        text += part.behind;
    }
    return text;
}

}  // namespace jobstrand::schema
