#include "timers/calendar/daily_times.hpp"

#include "schema/text/parsing.hpp"
#include "timers/zone/spoken_time.hpp"
#include "timers/zone/time_of_day.hpp"
#include "timers/zone/zone_time.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <variant>

namespace jobstrand::timers {

namespace {

using namespace std::chrono_literals;
using schema::Duration;
using schema::ParseResult;
using schema::TextScanner;
using schema::TimePoint;

constexpr std::string_view kBegin = "every ";
constexpr std::int64_t kMostTurns = std::numeric_limits<int>::max();

/// Reads the words from left to right.
class DailyReader {
public:
    explicit DailyReader(std::string_view text) : scanner_(text) {}

    ParseResult<DailyTimes> read() {
        (void)read_word();  // every
        read_interval();
        while (!scanner_.at_end()) {
            read_clause();
        }
        if (times_.to < times_.from) {
            scanner_.fail_at(0, "the end of the day's times is before their start");
        }
        return scanner_.result(times_);
    }

private:
    /// Up to the next blank, which is skipped.
    std::string read_word() {
        std::string word;
        for (; !scanner_.at_end() && scanner_.peek() != ' '; scanner_.take(scanner_.peek())) {
            word += scanner_.peek();
        }
        skip_blanks();
        return word;
    }

    void skip_blanks() {
        while (scanner_.take(' ')) {
        }
    }

    void read_interval() {
        const std::size_t begin = scanner_.position();
        const auto spoken = parse_spoken_time(read_word());
        const auto* const from_now = spoken ? std::get_if<FromNow>(&spoken.value().what) : nullptr;
        if (from_now == nullptr || from_now->toward) {
            scanner_.fail_at(begin, "expected how far apart the times are: 45m, PT1H30M");
            return;
        }
        const schema::IsoDuration& distance = from_now->distance;
        const bool is_exact = distance.years == 0 && distance.months == 0 && distance.days == 0;
        times_.interval = std::chrono::floor<std::chrono::seconds>(distance.time);
        if (!is_exact || times_.interval != distance.time || times_.interval < 1s ||
            times_.interval > 24h) {
            scanner_.fail_at(begin, "the interval must be whole seconds, 1s to 24h");
        }
    }

    void read_clause() {
        if (scanner_.next_is_digit()) {
            read_turns();
            return;
        }
        const std::size_t begin = scanner_.position();
        const std::string word = read_word();
        if (word == "from") {
            times_.from = read_time_of_day(scanner_);
        } else if (word == "to") {
            times_.to = read_time_of_day(scanner_);
        } else if (word == "on") {
            read_weekdays();
        } else {
            scanner_.fail_at(
                begin, "expected 'from 09:00', 'to 17:00', 'on MON-FRI' or '10 times'"
            );
        }
        expect_blank();
    }

    void read_turns() {
        const std::size_t begin = scanner_.position();
        const std::int64_t turns = scanner_.number("a number");
        expect_blank();
        const std::size_t word_begin = scanner_.position();
        const std::string word = read_word();
        if (word != "times" && word != "time") {
            scanner_.fail_at(word_begin, "expected 'times'");
        }
        if (turns < 1 || turns > kMostTurns) {
            scanner_.fail_at(begin, "the number of times must be 1 to 2147483647");
            return;
        }
        times_.turns = static_cast<int>(turns);
    }

    void read_weekdays() {
        times_.weekdays.reset();
        do {
            const std::size_t first = read_weekday(scanner_);
            const std::size_t last = scanner_.take('-') ? read_weekday(scanner_) : first;
            for (std::size_t day = first; day != last; day = (day + 1) % 7) {
                times_.weekdays.set(day);
            }
            times_.weekdays.set(last);
        } while (scanner_.take(','));
    }

    void expect_blank() {
        if (!scanner_.at_end()) {
            scanner_.expect(' ', "a blank");
            skip_blanks();
        }
    }

    TextScanner scanner_;
    DailyTimes times_{.interval = 0s};
};

/// The times of one day.
struct Day {
    TimePoint first;
    TimePoint last;  ///< At the latest.
};

TimePoint instant_of(const Zone& zone, std::chrono::local_days day, Duration time) {
    const auto second = std::chrono::floor<std::chrono::seconds>(time);
    return TimePoint{zone.to_instant(day + second, Twice::second)} + (time - second);
}

std::optional<TimePoint> next_in(const Day& day, std::chrono::seconds interval, TimePoint after) {
    if (after < day.first) {
        return day.first <= day.last ? std::optional(day.first) : std::nullopt;
    }
    const TimePoint next = day.first + ((after - day.first) / interval + 1) * interval;
    return next <= day.last ? std::optional(next) : std::nullopt;
}

}  // namespace

bool begins_like_daily_times(std::string_view text) {
    return text.starts_with(kBegin);
}

ParseResult<DailyTimes> parse_daily_times(std::string_view text) {
    return DailyReader(text).read();
}

std::optional<TimePoint> next_time(const DailyTimes& times, const Zone& zone, TimePoint after) {
    const TimePoint from = std::max(after, schema::kEarliestInstant - std::chrono::days{1});
    auto day = std::chrono::floor<std::chrono::days>(to_wall(zone, from));
    while (true) {
        if (times.weekdays[std::chrono::weekday{day}.c_encoding()]) {
            const Day times_of_day{
                instant_of(zone, day, times.from), instant_of(zone, day, times.to)};
            if (times_of_day.first > schema::kLatestInstant) {
                return std::nullopt;
            }
            if (const auto next = next_in(times_of_day, times.interval, from)) {
                return next;
            }
        }
        day += std::chrono::days{1};
    }
}

}  // namespace jobstrand::timers
