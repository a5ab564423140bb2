#include "persistence/sql/sql_time.hpp"

#include "persistence/sql/db_error.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstddef>

namespace jobstrand::persistence {

namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::string_view kPattern = "0000-00-00 00:00:00.000";
constexpr std::size_t kSecondsLength = 19;

void write_digits(char* end, int width, long long number) {
    for (int i = 0; i < width; ++i) {
        *--end = static_cast<char>('0' + number % 10);
        number /= 10;
    }
}

/// A number of exactly `width` digits at `position`; -1: something else stands there.
int read_digits(std::string_view text, std::size_t position, std::size_t width) {
    int number = 0;
    for (const char c : text.substr(position, width)) {
        if (c < '0' || c > '9') {
            return -1;
        }
        number = number * 10 + (c - '0');
    }
    return number;
}

bool has_separators(std::string_view text) {
    return text[4] == '-' && text[7] == '-' && (text[10] == ' ' || text[10] == 'T') &&
           text[13] == ':' && text[16] == ':';
}

/// What stands behind the seconds: nothing, or a point and one to nine digits.
std::optional<milliseconds> parse_fraction(std::string_view text) {
    if (text.empty()) {
        return milliseconds(0);
    }
    const std::size_t digits = text.size() - 1;
    if (text.front() != '.' || digits < 1 || digits > 9) {
        return std::nullopt;
    }
    int nanos = read_digits(text, 1, digits);
    if (nanos < 0) {
        return std::nullopt;
    }
    for (std::size_t i = digits; i < 9; ++i) {
        nanos *= 10;
    }
    return milliseconds(nanos / 1'000'000);
}

}  // namespace

SqlTime::SqlTime(schema::TimePoint time) {
    const auto day = std::chrono::floor<days>(time);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss clock(time - day);
    const int year = int{date.year()};
    if (year < 0 || year > 9999) {
        throw DbError(
            DbErrorKind::too_long,
            "a time in the year " + std::to_string(year) + " cannot be stored: use 0000 to 9999"
        );
    }
    kPattern.copy(text_.data(), text_.size());
    write_digits(text_.data() + 4, 4, year);
    write_digits(text_.data() + 7, 2, unsigned{date.month()});
    write_digits(text_.data() + 10, 2, unsigned{date.day()});
    write_digits(text_.data() + 13, 2, clock.hours().count());
    write_digits(text_.data() + 16, 2, clock.minutes().count());
    write_digits(text_.data() + 19, 2, clock.seconds().count());
    write_digits(text_.data() + 23, 3, clock.subseconds().count());
}

std::optional<schema::TimePoint> parse_sql_time(std::string_view text) {
    if (text.ends_with('Z')) {
        text.remove_suffix(1);
    }
    if (text.size() < kSecondsLength || !has_separators(text)) {
        return std::nullopt;
    }
    const int year = read_digits(text, 0, 4);
    const int month = read_digits(text, 5, 2);
    const int day = read_digits(text, 8, 2);
    const int hour = read_digits(text, 11, 2);
    const int minute = read_digits(text, 14, 2);
    const int second = read_digits(text, 17, 2);
    const auto fraction = parse_fraction(text.substr(kSecondsLength));
    if (year < 0 || month < 1 || day < 1 || hour < 0 || hour > 23 || minute < 0 || minute > 59 ||
        second < 0 || second > 59 || !fraction) {
        return std::nullopt;
    }
    const std::chrono::year_month_day date(
        std::chrono::year{year},
        std::chrono::month{static_cast<unsigned>(month)},
        std::chrono::day{static_cast<unsigned>(day)}
    );
    if (!date.ok()) {
        return std::nullopt;
    }
    return std::chrono::sys_days(date) + hours(hour) + minutes(minute) + seconds(second) +
           *fraction;
}

schema::TimePoint require_sql_time(std::string_view text) {
    const auto time = parse_sql_time(text);
    if (!time) {
        throw DbError(DbErrorKind::other, fmt::format("\"{}\" is not a time", text));
    }
    return *time;
}

}  // namespace jobstrand::persistence
