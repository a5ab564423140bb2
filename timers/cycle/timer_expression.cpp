#include "timers/cycle/timer_expression.hpp"

#include "schema/text/parsing.hpp"
#include "timers/calendar/wall_timer.hpp"
#include "timers/cron/cron_field.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace jobstrand::timers {
namespace {

using schema::IsoDuration;
using schema::ParseError;
using schema::ParseResult;
using schema::TimePoint;

constexpr std::string_view kBusinessDays = " business days";

/// `3 business days`, `1 business day`.
bool names_business_days(std::string_view text) {
    const std::size_t word = std::min(text.find_first_not_of("0123456789"), text.size());
    const std::string_view unit = text.substr(word);
    return word > 0 &&
           (unit == kBusinessDays || unit == kBusinessDays.substr(0, kBusinessDays.size() - 1));
}

template <typename T>
ParseResult<TimerExpression> expression_of(const ParseResult<T>& result) {
    if (!result) {
        return result.error();
    }
    return TimerExpression{result.value()};
}

ParseResult<TimerExpression> parse_business_days(std::string_view text) {
    schema::TextScanner scanner(text);
    const std::int64_t count = scanner.number("a number of days");
    if (count < 1 || count > kMostBusinessDays) {
        scanner.fail_at(
            0, fmt::format("the number of business days must be 1 to {}", kMostBusinessDays)
        );
    }
    return expression_of(scanner.result(BusinessDays{
        static_cast<int>(std::min<std::int64_t>(count, kMostBusinessDays))}));
}

/// What does not repeat and has a slash.
ParseResult<TimerExpression> parse_single_interval(std::string_view text) {
    const auto interval = parse_iso_interval(text);
    if (!interval) {
        return interval.error();
    }
    const std::size_t last = text.rfind('/') + 1;
    if (text.substr(last).starts_with('P')) {
        return TimerExpression{interval.value()};
    }
    if (interval.value().start && interval.value().end) {
        return ParseError{"only a repeating timer (R/...) has a start and an end", last};
    }
    // The end is all that matters. It has been read before, so that it can be read.
    return expression_of(parse_timer_date(text.substr(last)));
}

/// Begins with a word, a time of day, or a number and its unit: `in 5m`, `14:00`, `2 hours`. Cron
/// texts begin with numbers and signs only.
bool is_spoken(std::string_view text) {
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    const std::size_t next = std::min(text.find_first_not_of(' ', digits), text.size());
    if (next == text.size()) {
        return digits > 0;  // To be told that the unit is missing.
    }
    const char sign = text[next];
    return (sign >= 'a' && sign <= 'z') || (digits > 0 && (sign == ':' || sign == '.'));
}

/// What the forms of old say goes by their alternatives.
ParseResult<TimerExpression> parse_spoken(std::string_view text) {
    const auto spoken = parse_spoken_time(text);
    if (!spoken) {
        return spoken.error();
    }
    if (!spoken.value().zone) {
        if (const auto* const date = std::get_if<TimerDate>(&spoken.value().what)) {
            return TimerExpression{*date};
        }
        const auto* const from_now = std::get_if<FromNow>(&spoken.value().what);
        if (from_now != nullptr && !from_now->toward) {
            return TimerExpression{from_now->distance};
        }
    }
    return TimerExpression{spoken.value()};
}

ParseResult<TimerExpression> parse_trimmed(std::string_view text) {
    if (text.starts_with("CRON_TZ=") || text.starts_with("TZ=")) {
        return ParseError{
            "the zone does not stand before a cron text: say --zone, or zone in JSON", 0};
    }
    if (text.starts_with('R')) {
        return expression_of(parse_repeat_cycle(text));
    }
    if (text.starts_with('P') || begins_like_date(text)) {
        // A blank stands before a zone, whose name may have a slash.
        const bool is_interval = text.find('/') < text.find(' ');
        return is_interval ? parse_single_interval(text) : parse_spoken(text);
    }
    if (names_business_days(text)) {
        return parse_business_days(text);
    }
    if (begins_like_daily_times(text)) {
        return expression_of(parse_daily_times(text));
    }
    if (is_spoken(text)) {
        return parse_spoken(text);
    }
    if (text.starts_with('@') || std::ranges::any_of(text, is_blank)) {
        return expression_of(parse_cron(text));
    }
    return ParseError{
        "expected a date (2027-01-31T10:00Z, tomorrow 09:00), a duration (PT10M, 10m), a cycle "
        "(R3/PT10H), a cron text (0 0 12 * * ?), times of each day (every 45m from 09:00 to 17:00) "
        "or a number of business days (3 business days)",
        0};
}

std::vector<TimePoint>
times_of(const WallTimer& timer, const TimerContext& context, TimePoint after, std::size_t count) {
    std::vector<TimePoint> times;
    while (times.size() < count) {
        const auto time = time_after(timer, times.empty() ? after : times.back(), context.calendar);
        if (!time) {
            break;
        }
        times.push_back(*time);
    }
    return times;
}

std::vector<TimePoint> times_of(
    const CronExpression& cron,
    const TimerContext& context,
    TimePoint after,
    std::size_t count
) {
    return times_of(WallTimer{cron, context.zone, context.rule}, context, after, count);
}

std::vector<TimePoint>
times_of(const DailyTimes& daily, const TimerContext& context, TimePoint after, std::size_t count) {
    const std::size_t turns = std::min(
        count, static_cast<std::size_t>(daily.turns.value_or(std::numeric_limits<int>::max()))
    );
    return times_of(WallTimer{daily, context.zone}, context, after, turns);
}

std::vector<TimePoint> single(std::optional<TimePoint> time) {
    return time ? std::vector{*time} : std::vector<TimePoint>{};
}

std::optional<TimePoint> if_after(std::optional<TimePoint> time, TimePoint after) {
    return time && *time > after ? time : std::nullopt;
}

std::vector<TimePoint>
times_of(const TimerDate& date, const TimerContext& context, TimePoint after, std::size_t) {
    return single(if_after(date.in(context.zone), after));
}

std::vector<TimePoint>
times_of(const IsoDuration& duration, const TimerContext& context, TimePoint after, std::size_t) {
    return single(add(context.zone, after, duration));
}

std::optional<TimePoint>
end_of(const IsoInterval& interval, const TimerContext& context, TimePoint now) {
    const TimePoint start = interval.start ? interval.start->in(context.zone) : now;
    return add(context.zone, start, interval.period);
}

std::vector<TimePoint>
times_of(const IsoInterval& interval, const TimerContext& context, TimePoint after, std::size_t) {
    return single(if_after(end_of(interval, context, after), after));
}

std::vector<TimePoint> times_of(
    const RepeatCycle& cycle,
    const TimerContext& context,
    TimePoint after,
    std::size_t count
) {
    return grid_times(cycle, context, after, count);
}

std::vector<TimePoint>
times_of(const SpokenTime& spoken, const TimerContext& context, TimePoint after, std::size_t) {
    return single(if_after(spoken.at(context.zone, after), after));
}

std::vector<TimePoint>
times_of(BusinessDays days, const TimerContext& context, TimePoint after, std::size_t) {
    const Calendar weekdays = weekdays_only(context.zone);
    return single(
        add(context.zone, after, days, context.calendar == nullptr ? weekdays : *context.calendar)
    );
}

}  // namespace

ParseResult<TimerExpression> parse_timer_expression(std::string_view text) {
    const auto begin = std::ranges::find_if_not(text, is_blank);
    const std::size_t skipped = static_cast<std::size_t>(begin - text.begin());
    std::string_view trimmed = text.substr(skipped);
    while (!trimmed.empty() && is_blank(trimmed.back())) {
        trimmed.remove_suffix(1);
    }
    const auto expression = parse_trimmed(trimmed);
    if (!expression) {
        return ParseError{expression.error().message, skipped + expression.error().position};
    }
    return expression;
}

std::vector<TimePoint> next_times(
    const TimerExpression& expression,
    const TimerContext& context,
    TimePoint after,
    std::size_t count
) {
    if (count == 0) {
        return {};
    }
    return std::visit(
        [&](const auto& known) { return times_of(known, context, after, count); }, expression
    );
}

std::optional<TimePoint>
due_time(const TimerExpression& expression, const TimerContext& context, TimePoint now) {
    if (const auto* const date = std::get_if<TimerDate>(&expression)) {
        return date->in(context.zone);
    }
    if (const auto* const spoken = std::get_if<SpokenTime>(&expression)) {
        return spoken->at(context.zone, now);
    }
    if (const auto* const interval = std::get_if<IsoInterval>(&expression)) {
        return end_of(*interval, context, now);
    }
    const auto times = next_times(expression, context, now, 1);
    return times.empty() ? std::nullopt : std::optional(times.front());
}

}  // namespace jobstrand::timers
