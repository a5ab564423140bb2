#include "schema/text/time_text.hpp"

#include "schema/text/parsing.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace jobstrand::schema {

using namespace std::chrono_literals;

namespace {

struct Unit {
    char designator;
    bool of_time;     ///< Stands behind the T.
    Duration length;  ///< Mean length, for years and months.
};

/// In the order in which they may appear.
constexpr std::array kUnits{
    Unit{'Y', false, std::chrono::years{1}},
    Unit{'M', false, std::chrono::months{1}},
    Unit{'W', false, std::chrono::weeks{1}},
    Unit{'D', false, std::chrono::days{1}},
    Unit{'H', true, 1h},
    Unit{'M', true, 1min},
    Unit{'S', true, 1s},
};

/// Reads the parts behind the P one by one.
class DurationParser {
public:
    explicit DurationParser(TextScanner& scanner) : scanner_(scanner) {}

    IsoDuration parse() {
        while (!scanner_.at_end()) {
            if (!in_time_ && scanner_.take('T')) {
                in_time_ = true;
                expects_part_ = true;
            } else {
                read_part();
            }
        }
        if (expects_part_) {
            scanner_.fail("expected a number");
        }
        return duration_;
    }

private:
    void read_part() {
        const std::size_t start = scanner_.position();
        const std::int64_t number = scanner_.number("a number");
        const std::size_t point = scanner_.position();
        const bool has_fraction = scanner_.take('.');
        const Duration fraction{has_fraction ? scanner_.milliseconds() : 0};
        const Unit* unit = read_unit();
        if (unit == nullptr) {
            return;
        }
        if (has_fraction && unit->designator != 'S') {
            return scanner_.fail_at(point, "only seconds may have a fraction");
        }
        const Duration room = kLongestDuration - total_ - fraction;
        if (room < Duration::zero() || number > room / unit->length) {
            return scanner_.fail_at(start, "the duration is longer than 1,000 years");
        }
        total_ += number * unit->length + fraction;
        add(number, *unit, fraction);
        expects_part_ = false;
    }

    /// nullptr, and the scanner has failed: no unit stands here, or one that may not come now.
    const Unit* read_unit() {
        const char designator = scanner_.peek();
        for (std::size_t i = next_unit_; i < kUnits.size(); ++i) {
            if (kUnits[i].designator == designator && kUnits[i].of_time == in_time_) {
                scanner_.take(designator);
                next_unit_ = i + 1;
                return &kUnits[i];
            }
        }
        scanner_.fail(
            in_time_ ? "expected H, M or S, each once and in this order"
                     : "expected Y, M, W or D, each once and in this order, or T before hours"
        );
        return nullptr;
    }

    void add(std::int64_t number, const Unit& unit, Duration fraction) {
        const int count = static_cast<int>(number);
        if (unit.of_time) {
            duration_.time += number * unit.length + fraction;
        } else if (unit.designator == 'Y') {
            duration_.years = count;
        } else if (unit.designator == 'M') {
            duration_.months = count;
        } else {
            duration_.days += count * static_cast<int>(unit.length / std::chrono::days{1});
        }
    }

    TextScanner& scanner_;
    IsoDuration duration_;
    Duration total_{0};
    std::size_t next_unit_ = 0;
    bool in_time_ = false;
    bool expects_part_ = true;
};

ParseResult<Duration> parse_millisecond_count(std::string_view text) {
    TextScanner scanner(text);
    const std::int64_t count = scanner.number("a number of milliseconds");
    scanner.expect_end();
    if (count > kLongestDuration.count()) {
        scanner.fail_at(0, "the duration is longer than 1,000 years");
    }
    return scanner.result(Duration{count});
}

/// `.05` for 50; empty for 0.
std::string fraction_text(std::int64_t milliseconds) {
    if (milliseconds == 0) {
        return {};
    }
    std::string text = std::to_string(1000 + milliseconds);
    text.front() = '.';
    text.erase(text.find_last_not_of('0') + 1);
    return text;
}

TimePoint add_months(TimePoint start, int count) {
    const auto day = std::chrono::floor<std::chrono::days>(start);
    auto date = std::chrono::year_month_day{day} + std::chrono::months{count};
    if (!date.ok()) {
        date = date.year() / date.month() / std::chrono::last;
    }
    return std::chrono::sys_days{date} + (start - day);
}

}  // namespace

ParseResult<IsoDuration> parse_iso_duration(std::string_view text) {
    TextScanner scanner(text);
    scanner.expect('P', "a duration such as PT30S or P1DT12H");
    const IsoDuration duration = DurationParser(scanner).parse();
    return scanner.result(duration);
}

ParseResult<Duration> parse_duration(std::string_view text) {
    if (!text.starts_with('P')) {
        return parse_millisecond_count(text);
    }
    const auto duration = parse_iso_duration(text);
    if (!duration) {
        return duration.error();
    }
    const std::size_t calendar_part = text.find_first_of("YMT");
    if (calendar_part != std::string_view::npos && text[calendar_part] != 'T') {
        return ParseError{"years and months have no fixed length; use days", calendar_part};
    }
    return std::chrono::days{duration.value().days} + duration.value().time;
}

TimePoint operator+(TimePoint start, const IsoDuration& duration) {
    return add_months(start, duration.years * 12 + duration.months) +
           std::chrono::days{duration.days} + duration.time;
}

std::string format_duration(Duration duration) {
    const bool negative = duration < Duration::zero();
    const std::chrono::hh_mm_ss parts(std::max(duration, -Duration::max()));
    std::string text = negative ? "-PT" : "PT";
    const std::size_t prefix = text.size();
    if (parts.hours().count() > 0) {
        text += std::to_string(parts.hours().count()) + 'H';
    }
    if (parts.minutes().count() > 0) {
        text += std::to_string(parts.minutes().count()) + 'M';
    }
    const std::int64_t seconds = parts.seconds().count();
    const std::int64_t fraction = parts.subseconds().count();
    if (seconds > 0 || fraction > 0 || text.size() == prefix) {
        text += std::to_string(seconds) + fraction_text(fraction) + 'S';
    }
    return text;
}

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

namespace {

struct SpokenUnit {
    std::array<std::string_view, 4> words;
    Duration length;
};

/// In the order in which they may appear.
constexpr std::array kSpokenUnits{
    SpokenUnit{{"w", "week", "weeks", ""}, std::chrono::weeks{1}},
    SpokenUnit{{"d", "day", "days", ""}, std::chrono::days{1}},
    SpokenUnit{{"h", "hour", "hours", ""}, 1h},
    SpokenUnit{{"m", "min", "minute", "minutes"}, 1min},
    SpokenUnit{{"s", "sec", "second", "seconds"}, 1s},
    SpokenUnit{{"ms", "millisecond", "milliseconds", ""}, 1ms},
};

[[nodiscard]] bool is_unit_letter(char c) {
    return c >= 'a' && c <= 'z';
}

/// Reads `1h 30m` part by part.
class SpokenParts {
public:
    explicit SpokenParts(std::string_view text) : text_(text), scanner_(text) {}

    [[nodiscard]] ParseResult<IsoDuration> parse() {
        do {
            read_part();
            skip_blanks();
        } while (!scanner_.at_end());
        return scanner_.result(duration_);
    }

private:
    void read_part() {
        const std::size_t start = scanner_.position();
        const std::int64_t number = scanner_.number("a duration such as 5m, 1h30m or PT5M");
        const std::size_t point = scanner_.position();
        const bool has_fraction = scanner_.take('.');
        const Duration fraction{has_fraction ? scanner_.milliseconds() : 0};
        const SpokenUnit* const unit = read_unit(start);
        if (unit == nullptr) {
            return;
        }
        if (has_fraction && unit->length != 1s) {
            return scanner_.fail_at(point, "only seconds may have a fraction");
        }
        const Duration room = kLongestDuration - total_ - fraction;
        if (room < Duration::zero() || number > room / unit->length) {
            return scanner_.fail_at(start, "the duration is longer than 1,000 years");
        }
        total_ += number * unit->length + fraction;
        if (unit->length >= std::chrono::days{1}) {
            duration_.days += static_cast<int>(number * (unit->length / std::chrono::days{1}));
        } else {
            duration_.time += number * unit->length + fraction;
        }
    }

    /// nullptr, and the scanner has failed: no unit stands here, or one that may not come now.
    [[nodiscard]] const SpokenUnit* read_unit(std::size_t number) {
        skip_blanks();
        const std::size_t start = scanner_.position();
        while (is_unit_letter(scanner_.peek())) {
            scanner_.take(scanner_.peek());
        }
        const std::string_view word = text_.substr(start, scanner_.position() - start);
        if (scanner_.failed()) {
            return nullptr;
        }
        if (word.empty()) {
            scanner_.fail_at(number, "a number without a unit: write 5s, 5m or 5h");
            return nullptr;
        }
        const auto unit =
            std::find_if(next_unit_, kSpokenUnits.end(), [word](const SpokenUnit& one) {
                return std::ranges::find(one.words, word) != one.words.end();
            });
        if (unit == kSpokenUnits.end()) {
            scanner_.fail_at(start, "expected w, d, h, m, s or ms, each once and in this order");
            return nullptr;
        }
        next_unit_ = unit + 1;
        return unit;
    }

    void skip_blanks() {
        while (scanner_.take(' ')) {
        }
    }

    const std::string_view text_;
    TextScanner scanner_;
    IsoDuration duration_;
    Duration total_{0};
    const SpokenUnit* next_unit_ = kSpokenUnits.begin();
};

}  // namespace

ParseResult<IsoDuration> parse_spoken_duration(std::string_view text) {
    return text.starts_with('P') ? parse_iso_duration(text) : SpokenParts(text).parse();
}

ParseResult<Duration> parse_exact_duration(std::string_view text) {
    const auto duration = parse_spoken_duration(text);
    if (!duration) {
        return duration.error();
    }
    if (duration.value().years != 0 || duration.value().months != 0) {
        return ParseError{"years and months have no fixed length; use days", 0};
    }
    return std::chrono::days{duration.value().days} + duration.value().time;
}

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
