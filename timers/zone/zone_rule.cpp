#include "timers/zone/zone_rule.hpp"

#include "schema/text/parsing.hpp"

#include <algorithm>
#include <array>

namespace jobstrand::timers {
namespace {

using namespace std::chrono_literals;
using schema::TextScanner;

bool is_letter(char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/// `EST`, or `<+0330>`.
void skip_abbreviation(TextScanner& scanner) {
    if (scanner.take('<')) {
        while (!scanner.at_end() && !scanner.take('>')) {
            scanner.take(scanner.peek());
        }
        return;
    }
    if (!is_letter(scanner.peek())) {
        scanner.fail("expected the zone's abbreviation");
    }
    while (is_letter(scanner.peek())) {
        scanner.take(scanner.peek());
    }
}

/// `2`, `-3:30`, `26:15:30`.
std::chrono::seconds read_time(TextScanner& scanner) {
    const bool negative = scanner.take('-');
    if (!negative) {
        scanner.take('+');
    }
    std::chrono::seconds time =
        std::chrono::hours{std::min<std::int64_t>(scanner.number("hours"), 167)};
    if (scanner.take(':')) {
        time += std::chrono::minutes{scanner.digits(2, "minutes", 0, 59)};
    }
    if (scanner.take(':')) {
        time += std::chrono::seconds{scanner.digits(2, "seconds", 0, 59)};
    }
    return negative ? -time : time;
}

int read_number(TextScanner& scanner, const char* what, int least, int most) {
    const std::size_t start = scanner.position();
    const std::int64_t number = scanner.number(what);
    if (number < least || number > most) {
        scanner.fail_at(start, std::string("a ") + what + " out of range");
        return least;
    }
    return static_cast<int>(number);
}

YearlyMoment read_moment(TextScanner& scanner) {
    YearlyMoment moment;
    if (scanner.take('M')) {
        moment.month = read_number(scanner, "month", 1, 12);
        scanner.expect('.', "'.' before the week");
        moment.week = read_number(scanner, "week", 1, 5);
        scanner.expect('.', "'.' before the day of the week");
        moment.weekday = read_number(scanner, "day of the week", 0, 6);
    } else if (scanner.take('J')) {
        moment.kind = YearlyMoment::Kind::day_without_leap_day;
        moment.day = read_number(scanner, "day", 1, 365);
    } else {
        moment.kind = YearlyMoment::Kind::day_of_year;
        moment.day = read_number(scanner, "day", 0, 365);
    }
    if (scanner.take('/')) {
        moment.time = read_time(scanner);
    }
    return moment;
}

ZoneRule::Summer read_summer(TextScanner& scanner, std::chrono::seconds winter_offset) {
    ZoneRule::Summer summer{winter_offset + 1h, {}, {}};
    skip_abbreviation(scanner);
    if (scanner.peek() != ',') {
        summer.offset = -read_time(scanner);
    }
    scanner.expect(',', "',' before the begin of summer time");
    summer.begin = read_moment(scanner);
    scanner.expect(',', "',' before the end of summer time");
    summer.end = read_moment(scanner);
    return summer;
}

std::chrono::local_days weekday_of_month(const YearlyMoment& moment, std::chrono::year year) {
    const std::chrono::year_month month = year / moment.month;
    const std::chrono::weekday weekday{static_cast<unsigned>(moment.weekday)};
    if (moment.week == 5) {
        return std::chrono::local_days{month / weekday[std::chrono::last]};
    }
    return std::chrono::local_days{month / weekday[static_cast<unsigned>(moment.week)]};
}

struct Change {
    std::chrono::sys_seconds at;
    std::chrono::seconds offset;  ///< From then on.
};

}  // namespace

std::chrono::local_seconds YearlyMoment::in(std::chrono::year year) const {
    const std::chrono::local_days new_year{year / 1 / 1};
    switch (kind) {
        case Kind::weekday_of_month:
            return weekday_of_month(*this, year) + time;
        case Kind::day_without_leap_day:
            return new_year + std::chrono::days{day - 1 + (year.is_leap() && day > 59 ? 1 : 0)} +
                   time;
        case Kind::day_of_year:
            break;
    }
    return new_year + std::chrono::days{day} + time;
}

ZoneSegment ZoneRule::segment_at(std::chrono::sys_seconds instant) const {
    if (!summer) {
        return {kBeginOfTime, kEndOfTime, offset};
    }
    // The year in UTC may be off by one from the wall clock's, so that its neighbours are needed.
    const std::chrono::year_month_day today{std::chrono::floor<std::chrono::days>(instant)};
    std::array<Change, 8> changes{};
    for (std::size_t i = 0; i < changes.size(); i += 2) {
        const std::chrono::year year =
            today.year() + std::chrono::years{static_cast<int>(i / 2) - 2};
        changes[i] = {
            std::chrono::sys_seconds{(summer->end.in(year)-summer->offset).time_since_epoch()},
            offset};
        changes[i + 1] = {
            std::chrono::sys_seconds{(summer->begin.in(year)-offset).time_since_epoch()},
            summer->offset};
    }
    std::ranges::stable_sort(changes, {}, &Change::at);
    const auto next = std::ranges::upper_bound(changes, instant, {}, &Change::at);
    return {std::prev(next)->at, next->at, std::prev(next)->offset};
}

schema::ParseResult<ZoneRule> parse_zone_rule(std::string_view text) {
    TextScanner scanner(text);
    ZoneRule rule;
    skip_abbreviation(scanner);
    // POSIX counts offsets westwards.
    rule.offset = -read_time(scanner);
    if (!scanner.at_end()) {
        rule.summer = read_summer(scanner, rule.offset);
    }
    scanner.expect_end();
    return scanner.result(rule);
}

}  // namespace jobstrand::timers
