#include "test/timers/random_cron.hpp"

#include <fmt/format.h>

#include <vector>

namespace jobstrand::timers {
namespace {

using std::chrono::year_month_day;

constexpr std::array<const char*, 12>
    kMonths{"JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"};
constexpr std::array<const char*, 7> kWeekdays{"SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"};

/// Draws one member of a list and marks what it names. `values` has an entry for each number up to
/// the field's largest.
template <std::size_t Size>
std::string random_item(Dice& dice, std::array<bool, Size>& values, int first) {
    const int last = static_cast<int>(Size) - 1;
    const int length = last - first + 1;
    const int a = dice.number(first, last);
    const int step = dice.number(1, last);
    const auto mark = [&](int from, int count, int by) {
        for (int i = 0; i < count; i += by) {
            values[static_cast<std::size_t>((from + i - first) % length + first)] = true;
        }
    };
    switch (dice.number(1, 5)) {
        case 1: {
            const int b = dice.number(first, last);
            mark(a, (b - a + length) % length + 1, 1);
            return fmt::format("{}-{}", a, b);
        }
        case 2: {
            const int b = dice.number(first, last);
            mark(a, (b - a + length) % length + 1, step);
            return fmt::format("{}-{}/{}", a, b, step);
        }
        case 3:
            mark(a, last - a + 1, step);
            return fmt::format("{}/{}", a, step);
        case 4:
            mark(first, length, step);
            return fmt::format("*/{}", step);
        default:
            mark(a, 1, 1);
            return fmt::format("{}", a);
    }
}

template <std::size_t Size>
std::string random_field(Dice& dice, std::array<bool, Size>& values, int first, int open_in) {
    if (dice.one_in(open_in)) {
        values.fill(true);
        return "*";
    }
    std::string text;
    for (int i = dice.number(1, 3); i > 0; --i) {
        text += (text.empty() ? "" : ",") + random_item(dice, values, first);
    }
    return text;
}

int last_day(year_month_day date) {
    return static_cast<int>(unsigned{(date.year() / date.month() / std::chrono::last).day()});
}

int day_number(year_month_day date) {
    return static_cast<int>(unsigned{date.day()});
}

int weekday_number(year_month_day date) {
    return static_cast<int>(std::chrono::weekday{std::chrono::sys_days{date}}.c_encoding());
}

/// By the definition: the weekday of the month that is the fewest days away from `day`.
int nearest_weekday(year_month_day date, int day) {
    for (int distance = 0; distance <= 2; ++distance) {
        for (const int candidate : {day - distance, day + distance}) {
            if (candidate < 1 || candidate > last_day(date)) {
                continue;
            }
            const int weekday = weekday_number(date.year() / date.month() / candidate);
            if (weekday != 0 && weekday != 6) {
                return candidate;
            }
        }
    }
    return 0;
}

/// The day of month in Quartz's form.
std::string random_quartz_day_of_month(Dice& dice, RandomCron& cron) {
    const int n = dice.number(0, 30);
    switch (dice.number(1, 8)) {
        case 1:
            cron.day = [n](auto date) { return day_number(date) == last_day(date) - n; };
            return fmt::format("L-{}", n);
        case 2:
            cron.day = [](auto date) {
                return day_number(date) == nearest_weekday(date, last_day(date));
            };
            return "LW";
        case 3:
            cron.day = [n](auto date) {
                return n + 1 <= last_day(date) && day_number(date) == nearest_weekday(date, n + 1);
            };
            return fmt::format("{}W", n + 1);
        case 4:
            cron.day = [n](auto date) {
                const int day = last_day(date) - n;
                return day >= 1 && day_number(date) == nearest_weekday(date, day);
            };
            return fmt::format("L-{}W", n);
        default: {
            std::array<bool, 32> days{};
            const std::string text = random_field(dice, days, 1, 2);
            cron.day = [days](auto date) { return days[unsigned{date.day()}]; };
            return text;
        }
    }
}

/// The day of week in Quartz's form.
std::string random_quartz_day_of_week(Dice& dice, RandomCron& cron) {
    const int weekday = dice.number(0, 6);
    const int nth = dice.number(1, 5);
    const std::string written = dice.one_in(2) ? kWeekdays[static_cast<std::size_t>(weekday)]
                                               : fmt::format("{}", weekday + 1);
    switch (dice.number(1, 4)) {
        case 1:
            cron.day = [=](auto date) {
                return weekday_number(date) == weekday && day_number(date) + 7 > last_day(date);
            };
            return written + "L";
        case 2:
            cron.day = [=](auto date) {
                return weekday_number(date) == weekday && (day_number(date) - 1) / 7 + 1 == nth;
            };
            return fmt::format("{}#{}", written, nth);
        default: {
            std::array<bool, 8> weekdays{};
            const std::string text = random_field(dice, weekdays, 1, 3);
            cron.day = [weekdays](auto date) {
                return weekdays[static_cast<std::size_t>(weekday_number(date) + 1)];
            };
            return text;
        }
    }
}

std::string random_month(Dice& dice, RandomCron& cron) {
    if (!dice.one_in(8)) {
        return random_field(dice, cron.months, 1, 2);
    }
    const int month = dice.number(1, 12);
    cron.months[static_cast<std::size_t>(month)] = true;
    return kMonths[static_cast<std::size_t>(month - 1)];
}

void draw_quartz(Dice& dice, RandomCron& cron) {
    const std::string second_field = random_field(dice, cron.seconds, 0, 4);
    const std::string minute_field = random_field(dice, cron.minutes, 0, 3);
    const std::string hour_field = random_field(dice, cron.hours, 0, 2);
    const std::string months = random_month(dice, cron);
    const bool by_month = dice.one_in(2);
    const std::string day =
        by_month ? random_quartz_day_of_month(dice, cron) : random_quartz_day_of_week(dice, cron);
    cron.text = fmt::format(
        "{} {} {} {} {} {}",
        second_field,
        minute_field,
        hour_field,
        by_month ? day : "?",
        months,
        by_month ? "?" : day
    );
}

void draw_unix(Dice& dice, RandomCron& cron) {
    cron.seconds[0] = true;
    const std::string minute_field = random_field(dice, cron.minutes, 0, 3);
    const std::string hour_field = random_field(dice, cron.hours, 0, 2);
    std::array<bool, 32> days{};
    const std::string day = random_field(dice, days, 1, 2);
    const std::string months = random_month(dice, cron);
    std::array<bool, 7> weekdays{};
    const std::string weekday = random_field(dice, weekdays, 0, 2);
    const bool either = !day.starts_with('*') && !weekday.starts_with('*');
    cron.day = [=](auto date) {
        const bool by_month = days[unsigned{date.day()}];
        const bool by_week = weekdays[static_cast<std::size_t>(weekday_number(date))];
        return either ? by_month || by_week : by_month && by_week;
    };
    cron.text = fmt::format("{} {} {} {} {}", minute_field, hour_field, day, months, weekday);
}

}  // namespace

bool RandomCron::matches(std::chrono::local_seconds wall) const {
    const auto second = wall.time_since_epoch().count();
    const auto index = [](auto number) { return static_cast<std::size_t>(number); };
    if (!seconds[index(second % 60)] || !minutes[index(second / 60 % 60)] ||
        !hours[index(second / 3600 % 24)]) {
        return false;
    }
    const year_month_day date{std::chrono::floor<std::chrono::days>(wall)};
    return months[unsigned{date.month()}] && day(date);
}

RandomCron random_cron(Dice& dice) {
    RandomCron cron;
    if (dice.one_in(3)) {
        draw_unix(dice, cron);
    } else {
        draw_quartz(dice, cron);
    }
    return cron;
}

}  // namespace jobstrand::timers
