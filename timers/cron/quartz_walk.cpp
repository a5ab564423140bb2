#include "timers/cron/quartz_walk.hpp"

#include <algorithm>

namespace jobstrand::timers {
namespace {

/// A few turns for each month up to kLastCronYear; a walk that is longer would be a mistake here.
constexpr int kMostSteps = 20'000;

/// The first member at or after `from`.
template <std::size_t Size>
std::optional<int> first_from(const std::bitset<Size>& set, int from) {
    for (std::size_t i = static_cast<std::size_t>(std::max(from, 0)); i < Size; ++i) {
        if (set[i]) {
            return static_cast<int>(i);
        }
    }
    return std::nullopt;
}

/// The fields of a wall clock that may be set to any number, as java.util.Calendar does it: minute
/// 60 is the next hour, and what does not exist moves to what does, on settle().
struct LenientClock {
    int year = 0;
    int month = 0;
    int day = 0;
    int hour = 0;
    int minute = 0;
    int second = 0;

    void set(std::chrono::local_seconds wall) {
        const auto midnight = std::chrono::floor<std::chrono::days>(wall);
        const std::chrono::year_month_day date{midnight};
        const std::chrono::hh_mm_ss time(wall - midnight);
        year = int{date.year()};
        month = static_cast<int>(unsigned{date.month()});
        day = static_cast<int>(unsigned{date.day()});
        hour = static_cast<int>(time.hours().count());
        minute = static_cast<int>(time.minutes().count());
        second = static_cast<int>(time.seconds().count());
    }

    void set_time(int new_hour, int new_minute, int new_second) {
        hour = new_hour;
        minute = new_minute;
        second = new_second;
    }

    [[nodiscard]] std::chrono::local_seconds wall() const {
        const auto first_of_month =
            std::chrono::year{year} / std::chrono::January / 1 + std::chrono::months{month - 1};
        return std::chrono::local_days{first_of_month} + std::chrono::days{day - 1} +
               std::chrono::hours{hour} + std::chrono::minutes{minute} +
               std::chrono::seconds{second};
    }
};

class QuartzWalk {
public:
    QuartzWalk(const CronExpression& cron, const Zone& zone) : cron_(cron), zone_(zone) {}

    std::optional<std::chrono::sys_seconds> run(std::chrono::sys_seconds earliest) {
        clock_.set(zone_.to_wall(earliest));
        for (int turn = 0; turn < kMostSteps && clock_.year <= kLastCronYear; ++turn) {
            switch (fit_fields()) {
                case Fit::all:
                    return instant_;
                case Fit::never:
                    return std::nullopt;
                case Fit::moved:
                    break;
            }
        }
        return std::nullopt;
    }

private:
    enum class Fit { all, moved, never };

    /// One turn: the first field that does not fit is moved on, and the smaller ones start anew.
    Fit fit_fields() {
        fit_second();
        if (!fit_minute() || !fit_hour() || !fit_day() || !fit_month()) {
            settle();
            return Fit::moved;
        }
        return fit_year();
    }

    /// A carry into the minute is left to the other fields.
    void fit_second() {
        const std::optional<int> second = first_from(cron_.seconds, clock_.second);
        if (!second) {
            ++clock_.minute;
        }
        clock_.second = second ? *second : *first_from(cron_.seconds, 0);
        settle();
    }

    bool fit_minute() {
        const std::optional<int> minute = first_from(cron_.minutes, clock_.minute);
        if (minute == clock_.minute) {
            return true;
        }
        clock_.second = 0;
        clock_.minute = minute ? *minute : *first_from(cron_.minutes, 0);
        set_hour(minute ? clock_.hour : clock_.hour + 1);
        return false;
    }

    bool fit_hour() {
        const std::optional<int> hour = first_from(cron_.hours, clock_.hour);
        if (hour == clock_.hour) {
            return true;
        }
        clock_.day += hour ? 0 : 1;
        clock_.set_time(0, 0, 0);
        set_hour(hour ? *hour : *first_from(cron_.hours, 0));
        return false;
    }

    /// If the hour is in a gap Quartz tries the next one, whichever the gap's length is.
    void set_hour(int hour) {
        clock_.hour = hour;
        settle();
        if (clock_.hour != hour && hour != 24) {
            clock_.hour = hour + 1;
            settle();
        }
    }

    bool fit_day() {
        const std::chrono::year_month month{
            std::chrono::year{clock_.year},
            std::chrono::month{static_cast<unsigned>(clock_.month)}};
        const std::optional<int> day = first_from(cron_.days.in(month), clock_.day);
        if (day == clock_.day) {
            return true;
        }
        clock_.month += day ? 0 : 1;
        clock_.day = day.value_or(1);
        clock_.set_time(0, 0, 0);
        return false;
    }

    bool fit_month() {
        const std::optional<int> month = first_from(cron_.months, clock_.month);
        if (month == clock_.month) {
            return true;
        }
        clock_.year += month ? 0 : 1;
        clock_.month = month ? *month : *first_from(cron_.months, 0);
        clock_.day = 1;
        clock_.set_time(0, 0, 0);
        return false;
    }

    Fit fit_year() {
        const std::optional<int> year = first_from(cron_.years, clock_.year - kFirstCronYear);
        if (!year) {
            return Fit::never;
        }
        if (*year == clock_.year - kFirstCronYear) {
            return Fit::all;
        }
        clock_.year = *year + kFirstCronYear;
        clock_.month = 1;
        clock_.day = 1;
        clock_.set_time(0, 0, 0);
        settle();
        return Fit::moved;
    }

    /// Of a time that comes twice Java takes the second.
    void settle() {
        instant_ = zone_.to_instant(clock_.wall(), Twice::second);
        clock_.set(zone_.to_wall(instant_));
    }

    const CronExpression& cron_;
    const Zone& zone_;
    LenientClock clock_;
    std::chrono::sys_seconds instant_;
};

}  // namespace

std::optional<std::chrono::sys_seconds>
quartz_time_from(const CronExpression& cron, const Zone& zone, std::chrono::sys_seconds earliest) {
    return QuartzWalk(cron, zone).run(earliest);
}

}  // namespace jobstrand::timers
