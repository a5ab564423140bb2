#include "timers/cron/cron_expression.hpp"

#include "schema/text/parsing.hpp"
#include "timers/cron/cron_day_fields.hpp"
#include "timers/cron/cron_field.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace jobstrand::timers {
namespace {

using schema::ParseError;
using schema::ParseResult;
using schema::TextScanner;

/// REPEAT_ is varchar(255).
constexpr std::size_t kLongestText = 255;

constexpr std::array<std::string_view, 12> kMonthNames{
    "JANUARY",
    "FEBRUARY",
    "MARCH",
    "APRIL",
    "MAY",
    "JUNE",
    "JULY",
    "AUGUST",
    "SEPTEMBER",
    "OCTOBER",
    "NOVEMBER",
    "DECEMBER"};

constexpr CronField kSecond{"second", 0, 59, 60, 59};
constexpr CronField kMinute{"minute", 0, 59, 60, 59};
constexpr CronField kHour{"hour", 0, 23, 24, 23};
constexpr CronField kQuartzMonth{"month", 1, 12, 12, 12, kMonthNames, 1, false};
constexpr CronField kUnixMonth{"month", 1, 12, 12, 12, kMonthNames, 1};
constexpr CronField kYear{"year", kFirstCronYear, kLastCronYear, 0, 0};

struct Word {
    std::string_view word;
    std::string_view meaning;
};

constexpr std::array kWords{
    Word{"@YEARLY", "0 0 1 1 *"},
    Word{"@ANNUALLY", "0 0 1 1 *"},
    Word{"@MONTHLY", "0 0 1 * *"},
    Word{"@WEEKLY", "0 0 * * 0"},
    Word{"@DAILY", "0 0 * * *"},
    Word{"@MIDNIGHT", "0 0 * * *"},
    Word{"@HOURLY", "0 * * * *"},
};

std::string in_capitals(std::string_view text) {
    std::string capitals(text);
    for (char& c : capitals) {
        c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    }
    return capitals;
}

void skip_blanks(TextScanner& scanner) {
    while (is_blank(scanner.peek())) {
        scanner.take(scanner.peek());
    }
}

/// Goes on to the next field.
TextScanner& next(TextScanner& scanner) {
    skip_blanks(scanner);
    return scanner;
}

template <std::size_t Size>
std::bitset<Size> set_of(const std::vector<int>& values, int origin = 0) {
    std::bitset<Size> set;
    for (const int value : values) {
        set.set(static_cast<std::size_t>(value - origin));
    }
    return set;
}

CronDays joined(const CronDayField& of_month, const CronDayField& of_week, CronDays::Rule rule) {
    CronDays days = of_month.days;
    days.of_week = of_week.days.of_week;
    days.last_of_week = of_week.days.last_of_week;
    days.nth_of_week = of_week.days.nth_of_week;
    days.rule = rule;
    return days;
}

CronDays quartz_days(
    TextScanner& scanner,
    const CronDayField& month,
    const CronDayField& week,
    std::size_t week_position
) {
    if (month.open == week.open) {
        scanner.fail_at(
            week_position,
            month.open
                ? "only one of the two day fields may be '?'"
                : "one of the two day fields must be '?', the day of month or the day of week"
        );
    }
    return joined(month, week, month.open ? CronDays::Rule::of_week : CronDays::Rule::of_month);
}

CronExpression read_quartz(TextScanner& scanner) {
    CronExpression cron;
    cron.seconds = set_of<60>(read_cron_list(next(scanner), kSecond));
    cron.minutes = set_of<60>(read_cron_list(next(scanner), kMinute));
    cron.hours = set_of<24>(read_cron_list(next(scanner), kHour));
    const CronDayField of_month = read_quartz_days_of_month(next(scanner));
    cron.months = set_of<13>(read_cron_list(next(scanner), kQuartzMonth));
    const std::size_t week_position = next(scanner).position();
    const CronDayField of_week = read_quartz_days_of_week(scanner);
    cron.days = quartz_days(scanner, of_month, of_week, week_position);
    if (next(scanner).at_end()) {
        cron.years.set();
    } else {
        cron.years = set_of<kCronYears>(read_cron_list(scanner, kYear), kFirstCronYear);
    }
    return cron;
}

CronExpression read_unix(TextScanner& scanner) {
    CronExpression cron;
    cron.seconds.set(0);
    cron.minutes = set_of<60>(read_cron_list(next(scanner), kMinute));
    cron.hours = set_of<24>(read_cron_list(next(scanner), kHour));
    const CronDayField of_month = read_unix_days_of_month(next(scanner));
    cron.months = set_of<13>(read_cron_list(next(scanner), kUnixMonth));
    const CronDayField of_week = read_unix_days_of_week(next(scanner));
    const bool restricted = !of_month.open && !of_week.open;
    cron.days =
        joined(of_month, of_week, restricted ? CronDays::Rule::either : CronDays::Rule::both);
    cron.years.set();
    return cron;
}

ParseResult<CronExpression> parse_word(std::string_view capitals) {
    for (const Word& known : kWords) {
        if (capitals == known.word) {
            TextScanner scanner(known.meaning);
            return scanner.result(read_unix(scanner));
        }
    }
    return ParseError{"expected @hourly, @daily, @weekly, @monthly or @yearly", 0};
}

std::size_t count_fields(std::string_view text) {
    std::size_t count = 0;
    bool in_field = false;
    for (const char c : text) {
        if (!is_blank(c) && !in_field) {
            ++count;
        }
        in_field = !is_blank(c);
    }
    return count;
}

}  // namespace

ParseResult<CronExpression> parse_cron(std::string_view text) {
    if (text.size() > kLongestText) {
        return ParseError{
            fmt::format("at most {} characters are allowed", kLongestText), kLongestText};
    }
    const std::string capitals = in_capitals(text);
    if (capitals.starts_with('@')) {
        return parse_word(capitals);
    }
    const std::size_t fields = count_fields(capitals);
    if (fields < 5 || fields > 7) {
        return ParseError{
            fmt::format(
                "a cron text has 5 fields (Unix), or 6 or 7 (Quartz), but this one has {}", fields
            ),
            fields < 5 ? text.size() : 0};
    }
    TextScanner scanner(capitals);
    const CronExpression cron = fields == 5 ? read_unix(scanner) : read_quartz(scanner);
    return scanner.result(cron);
}

bool matches(const CronExpression& expression, std::chrono::local_seconds wall) {
    const auto midnight = std::chrono::floor<std::chrono::days>(wall);
    const std::chrono::year_month_day date{midnight};
    const int year = int{date.year()};
    if (year < kFirstCronYear || year > kLastCronYear) {
        return false;
    }
    const std::chrono::hh_mm_ss time(wall - midnight);
    const auto index = [](auto number) { return static_cast<std::size_t>(number); };
    return expression.seconds[index(time.seconds().count())] &&
           expression.minutes[index(time.minutes().count())] &&
           expression.hours[index(time.hours().count())] &&
           expression.months[unsigned{date.month()}] &&
           expression.years[index(year - kFirstCronYear)] &&
           expression.days.in(date.year() / date.month())[unsigned{date.day()}];
}

}  // namespace jobstrand::timers
