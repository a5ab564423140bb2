#include "timers/cron/cron_days.hpp"

namespace jobstrand::timers {
namespace {

using std::chrono::Friday;
using std::chrono::Monday;
using std::chrono::Saturday;
using std::chrono::Sunday;

/// A month with what its days need to be looked up.
class MonthDays {
public:
    explicit MonthDays(std::chrono::year_month month)
        : length_(static_cast<unsigned>((month / std::chrono::last).day())),
          first_(std::chrono::sys_days{month / 1}) {}

    [[nodiscard]] unsigned length() const { return length_; }

    [[nodiscard]] std::chrono::weekday weekday(unsigned day) const {
        return first_ + std::chrono::days{day - 1};
    }

    /// Never leaves the month: a Saturday 1st moves to Monday 3rd, a last Sunday back to Friday.
    [[nodiscard]] unsigned nearest_weekday(unsigned day) const {
        if (weekday(day) == Saturday) {
            return day == 1 ? day + 2 : day - 1;
        }
        if (weekday(day) == Sunday) {
            return day == length_ ? day - 2 : day + 1;
        }
        return day;
    }

private:
    unsigned length_;
    std::chrono::weekday first_;
};

std::bitset<32> days_of_month(const CronDays& days, const MonthDays& month) {
    std::bitset<32> named;
    for (unsigned day = 1; day <= month.length(); ++day) {
        const unsigned before_last = month.length() - day;
        if (days.of_month[day] || days.before_last[before_last]) {
            named.set(day);
        }
        if (days.nearest_weekday[day] || days.weekday_before_last[before_last]) {
            named.set(month.nearest_weekday(day));
        }
    }
    return named;
}

std::bitset<32> days_of_week(const CronDays& days, const MonthDays& month) {
    std::bitset<32> named;
    for (unsigned day = 1; day <= month.length(); ++day) {
        const unsigned weekday = month.weekday(day).c_encoding();
        const bool is_last = days.last_of_week == weekday && day + 7 > month.length();
        const bool is_nth = days.nth_of_week == CronDays::NthWeekday{weekday, (day + 6) / 7};
        named[day] = days.of_week[weekday] || is_last || is_nth;
    }
    return named;
}

}  // namespace

std::bitset<32> CronDays::in(std::chrono::year_month month) const {
    const MonthDays shape(month);
    switch (rule) {
        case Rule::of_month:
            return days_of_month(*this, shape);
        case Rule::of_week:
            return days_of_week(*this, shape);
        case Rule::either:
            return days_of_month(*this, shape) | days_of_week(*this, shape);
        case Rule::both:
            break;
    }
    return days_of_month(*this, shape) & days_of_week(*this, shape);
}

}  // namespace jobstrand::timers
