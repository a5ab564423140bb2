#include "persistence/sql/sql_values.hpp"

#include "persistence/sql/db_error.hpp"
#include "persistence/sql/dialect.hpp"
#include "schema/text/time_text.hpp"
#include "schema/text/utf8.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

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

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// Takes a point and the digits behind it, if they are there. nullopt: a point without digits.
std::optional<milliseconds> take_fraction(std::string_view& text) {
    if (!text.starts_with('.')) {
        return milliseconds(0);
    }
    text.remove_prefix(1);
    int unit = 100;
    milliseconds fraction(0);
    std::size_t digits = 0;
    for (; digits < text.size() && is_digit(text[digits]); ++digits) {
        fraction += milliseconds(unit * (text[digits] - '0'));
        unit /= 10;
    }
    text.remove_prefix(digits);
    return digits == 0 ? std::nullopt : std::optional(fraction);
}

/// What stands at the end: nothing, `Z`, or a sign and hours, with or without minutes.
std::optional<minutes> parse_offset(std::string_view text) {
    if (text.empty() || text == "Z") {
        return minutes(0);
    }
    const bool is_behind = text.front() == '-';
    const bool has_colon = text.size() == 6 && text[3] == ':';
    const bool has_minutes = has_colon || text.size() == 5;
    if ((!is_behind && text.front() != '+') || (!has_minutes && text.size() != 3)) {
        return std::nullopt;
    }
    const int hour = read_digits(text, 1, 2);
    const int minute = has_minutes ? read_digits(text, has_colon ? 4 : 3, 2) : 0;
    if (hour < 0 || hour > 23 || minute < 0 || minute > 59) {
        return std::nullopt;
    }
    const minutes offset = hours(hour) + minutes(minute);
    return is_behind ? -offset : offset;
}

bool has_four_digit_year(schema::TimePoint time) {
    const std::chrono::year_month_day date(std::chrono::floor<days>(time));
    return int{date.year()} >= 0 && int{date.year()} <= 9999;
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
    if (text.size() < kSecondsLength || !has_separators(text)) {
        return std::nullopt;
    }
    const int year = read_digits(text, 0, 4);
    const int month = read_digits(text, 5, 2);
    const int day = read_digits(text, 8, 2);
    const int hour = read_digits(text, 11, 2);
    const int minute = read_digits(text, 14, 2);
    const int second = read_digits(text, 17, 2);
    std::string_view rest = text.substr(kSecondsLength);
    const auto fraction = take_fraction(rest);
    const auto offset = parse_offset(rest);
    if (year < 0 || month < 1 || day < 1 || hour < 0 || hour > 23 || minute < 0 || minute > 59 ||
        second < 0 || second > 59 || !fraction || !offset) {
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
    const schema::TimePoint time = std::chrono::sys_days(date) + hours(hour) + minutes(minute) +
                                   seconds(second) + *fraction - *offset;
    return has_four_digit_year(time) ? std::optional(time) : std::nullopt;
}

schema::TimePoint require_sql_time(std::string_view text) {
    const auto time = parse_sql_time(text);
    if (!time) {
        throw unreadable_value(text, "a time");
    }
    return *time;
}

void require_storable(std::optional<schema::TimePoint> due_date, const Dialect& dialect) {
    const auto refuse = [&](std::string_view where, schema::TimePoint end, std::string_view which) {
        throw std::invalid_argument(fmt::format(
            "the due date {} is {} {}, the {} that {} holds",
            schema::format_instant(*due_date),
            where,
            schema::format_instant(end),
            which,
            dialect.name
        ));
    };
    if (due_date && *due_date < dialect.earliest_time) {
        refuse("before", dialect.earliest_time, "first");
    }
    if (due_date && *due_date > dialect.latest_time) {
        refuse("after", dialect.latest_time, "last");
    }
}

namespace {

constexpr std::string_view kPrefix = "\\x";
constexpr std::string_view kDigits = "0123456789abcdef";

int value_of(char digit) {
    return digit <= '9' ? digit - '0' : (digit | 0x20) - 'a' + 10;
}

}  // namespace

std::string hex_text_of(Bytes bytes) {
    std::string text(kPrefix);
    text.reserve(kPrefix.size() + 2 * bytes.size());
    for (const std::byte byte : bytes) {
        const auto number = std::to_integer<unsigned>(byte);
        text += kDigits[number >> 4U];
        text += kDigits[number & 15U];
    }
    return text;
}

std::string bytes_of_hex_text(std::string_view text) {
    return text.starts_with(kPrefix) ? from_hex(text.substr(kPrefix.size())) : std::string(text);
}

std::string from_hex(std::string_view digits) {
    std::string bytes(digits.size() / 2, '\0');
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = static_cast<char>(value_of(digits[2 * i]) * 16 + value_of(digits[2 * i + 1]));
    }
    return bytes;
}

namespace {

/// Enough to find the row's producer by.
constexpr std::size_t kShownCharacters = 40;

}  // namespace

DbError unreadable_value(std::string_view value, std::string_view what_it_is_not) {
    const std::string whole = schema::first_characters(value, kShownCharacters + 1);
    std::string shown = schema::first_characters(whole, kShownCharacters);
    if (shown.size() < whole.size()) {
        shown += "...";
    }
    return {DbErrorKind::unreadable, fmt::format("\"{}\" is not {}", shown, what_it_is_not)};
}

}  // namespace jobstrand::persistence
