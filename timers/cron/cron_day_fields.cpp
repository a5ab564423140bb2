#include "timers/cron/cron_day_fields.hpp"

#include "timers/cron/cron_field.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace jobstrand::timers {
namespace {

using schema::TextScanner;

constexpr std::array<std::string_view, 7>
    kWeekdayNames{"SUNDAY", "MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY"};

constexpr CronField kDayOfMonth{"day of month", 1, 31, 31, 31};
constexpr CronField kQuartzWeekday{"day of week", 1, 7, 7, 7, kWeekdayNames, 1, false};
constexpr CronField kUnixWeekday{"day of week", 0, 7, 7, 7, kWeekdayNames, 0};

/// How far before the last day `L-n` may lie; Quartz's bound.
constexpr int kFarthestBeforeLast = 30;

bool at_wildcard(const TextScanner& scanner) {
    return scanner.peek() == '*' || scanner.peek() == '/';
}

/// `?`: the other day field decides.
bool take_question_mark(TextScanner& scanner) {
    if (!scanner.take('?')) {
        return false;
    }
    if (!at_field_end(scanner)) {
        scanner.fail("nothing may follow '?'");
    }
    return true;
}

/// Whoever writes it means Quartz, where days of the week have other numbers.
void refuse_question_mark(TextScanner& scanner) {
    if (scanner.peek() == '?') {
        scanner.fail("'?' is for six fields, which begin with seconds; with five fields write '*'");
    }
}

/// Reads the members of Quartz's day of month one by one.
class DaysOfMonthReader {
public:
    explicit DaysOfMonthReader(TextScanner& scanner) : scanner_(scanner) {}

    CronDays read() {
        do {
            read_item();
        } while (next_cron_item(scanner_));
        return days_;
    }

private:
    void read_item() {
        if (scanner_.take('L')) {
            return read_before_last();
        }
        if (at_wildcard(scanner_)) {
            return add(read_cron_item(scanner_, kDayOfMonth));
        }
        const CronValue day = read_cron_value(scanner_, kDayOfMonth);
        if (scanner_.take('W')) {
            days_.nearest_weekday.set(static_cast<std::size_t>(day.number));
        } else {
            add(read_cron_range(scanner_, kDayOfMonth, day));
        }
    }

    /// `-3`, `W`, `-3W` or nothing, behind an L.
    void read_before_last() {
        const std::size_t start = scanner_.position() + 1;
        const std::int64_t before =
            scanner_.take('-') ? scanner_.number("a number behind 'L-'") : 0;
        if (before > kFarthestBeforeLast) {
            return scanner_.fail_at(
                start, fmt::format("at most {} days before the last", kFarthestBeforeLast)
            );
        }
        auto& set = scanner_.take('W') ? days_.weekday_before_last : days_.before_last;
        set.set(static_cast<std::size_t>(before));
    }

    void add(const std::vector<int>& days) {
        for (const int day : days) {
            days_.of_month.set(static_cast<std::size_t>(day));
        }
    }

    TextScanner& scanner_;
    CronDays days_;
};

/// Reads the members of Quartz's day of week one by one.
class DaysOfWeekReader {
public:
    explicit DaysOfWeekReader(TextScanner& scanner) : scanner_(scanner) {}

    CronDays read() {
        int items = 0;
        do {
            read_item();
            ++items;
        } while (next_cron_item(scanner_));
        if (lonely_ && items > 1) {
            scanner_.fail_at(*lonely_, "'L' and '#' cannot be part of a list of days of the week");
        }
        return days_;
    }

private:
    void read_item() {
        const std::size_t start = scanner_.position();
        if (scanner_.take('L')) {
            lonely_ = start;
            days_.of_week.set(std::chrono::Saturday.c_encoding());
            return;
        }
        if (at_wildcard(scanner_)) {
            return add(read_cron_item(scanner_, kQuartzWeekday));
        }
        const CronValue weekday = read_cron_value(scanner_, kQuartzWeekday);
        if (scanner_.take('L')) {
            lonely_ = start;
            days_.last_of_week = index(weekday.number);
        } else if (scanner_.take('#')) {
            lonely_ = start;
            days_.nth_of_week = {index(weekday.number), read_nth()};
        } else {
            add(read_cron_range(scanner_, kQuartzWeekday, weekday));
        }
    }

    unsigned read_nth() {
        const std::size_t start = scanner_.position();
        const std::int64_t nth = scanner_.number("a number behind '#'");
        if (nth < 1 || nth > 5) {
            scanner_.fail_at(start, "the number behind '#' must be 1 to 5");
        }
        return static_cast<unsigned>(nth);
    }

    void add(const std::vector<int>& numbers) {
        for (const int number : numbers) {
            days_.of_week.set(index(number));
        }
    }

    /// Quartz counts from Sunday = 1.
    static unsigned index(int number) { return static_cast<unsigned>(number - 1); }

    TextScanner& scanner_;
    CronDays days_;
    std::optional<std::size_t> lonely_;  ///< Where an item stands that cannot be part of a list.
};

}  // namespace

CronDayField read_quartz_days_of_month(TextScanner& scanner) {
    if (take_question_mark(scanner)) {
        return {{}, true};
    }
    return {DaysOfMonthReader(scanner).read(), false};
}

CronDayField read_quartz_days_of_week(TextScanner& scanner) {
    if (take_question_mark(scanner)) {
        return {{}, true};
    }
    return {DaysOfWeekReader(scanner).read(), false};
}

CronDayField read_unix_days_of_month(TextScanner& scanner) {
    refuse_question_mark(scanner);
    CronDayField field{{}, scanner.peek() == '*'};
    for (const int day : read_cron_list(scanner, kDayOfMonth)) {
        field.days.of_month.set(static_cast<std::size_t>(day));
    }
    return field;
}

CronDayField read_unix_days_of_week(TextScanner& scanner) {
    refuse_question_mark(scanner);
    CronDayField field{{}, scanner.peek() == '*'};
    for (const int weekday : read_cron_list(scanner, kUnixWeekday)) {
        field.days.of_week.set(static_cast<std::size_t>(weekday));
    }
    return field;
}

}  // namespace jobstrand::timers
