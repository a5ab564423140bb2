#include "timers/series/series_rules.hpp"

#include "timers/calendar/calendar_text.hpp"
#include "timers/cycle/timer_expression.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <utility>

namespace jobstrand::timers {
namespace {

using schema::ParseError;
using schema::ParseResult;
using schema::Series;

constexpr std::array<std::pair<std::string_view, SimpleMisfire>, 7> kSimpleMisfires{{
    {"ignore", SimpleMisfire::ignore},
    {"smart", SimpleMisfire::smart},
    {"fire-now", SimpleMisfire::fire_now},
    {"now-with-existing", SimpleMisfire::now_with_existing},
    {"now-with-remaining", SimpleMisfire::now_with_remaining},
    {"next-with-remaining", SimpleMisfire::next_with_remaining},
    {"next-with-existing", SimpleMisfire::next_with_existing},
}};

constexpr std::array<std::pair<std::string_view, CronMisfire>, 4> kCronMisfires{{
    {"ignore", CronMisfire::ignore},
    {"smart", CronMisfire::smart},
    {"fire-once-now", CronMisfire::fire_once_now},
    {"do-nothing", CronMisfire::do_nothing},
}};

template <typename Words>
auto find_word(const Words& words, std::string_view name)
    -> std::optional<typename Words::value_type::second_type> {
    for (const auto& [word, value] : words) {
        if (word == name) {
            return value;
        }
    }
    return std::nullopt;
}

std::optional<int> number_of(std::string_view text) {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_number = error == std::errc{} && end == text.data() + text.size();
    return is_number && !text.empty() ? std::optional(number) : std::nullopt;
}

/// A timer text and the zone that Flowable writes behind it: `... DSTZONE:Europe/Berlin VER:2`.
struct TaggedText {
    std::string_view text;
    std::string_view zone;  ///< Empty: none.
};

TaggedText without_tags(std::string_view text) {
    constexpr std::string_view kZone = "DSTZONE:";
    constexpr std::string_view kVersion = "VER:";
    TaggedText tagged{text, {}};
    for (auto blank = tagged.text.rfind(' '); blank != text.npos; blank = tagged.text.rfind(' ')) {
        const std::string_view word = tagged.text.substr(blank + 1);
        if (word.starts_with(kZone)) {
            tagged.zone = word.substr(kZone.size());
        } else if (!word.starts_with(kVersion) && !word.empty()) {
            break;
        }
        tagged.text = tagged.text.substr(0, blank);
    }
    return tagged;
}

using Kind = std::variant<WallRule, SimpleRule, GridRule>;

ParseResult<Kind> wall_kind(
    const std::variant<CronExpression, DailyTimes>& times,
    const Series& series,
    const Zone& zone
) {
    const auto rule = dst_rule_named(series.dst_rule);
    if (!rule) {
        return ParseError{"the rule for changed clocks must be quartz or run-once", 0};
    }
    const auto misfire =
        series.misfire.empty() ? CronMisfire::smart : cron_misfire_named(series.misfire);
    if (!misfire) {
        return ParseError{
            "the misfire instruction of a cron text, or of times of each day, must be smart, "
            "ignore, "
            "fire-once-now or do-nothing",
            0};
    }
    return Kind{WallRule{{times, zone, *rule, series.start, series.end}, *misfire}};
}

ParseResult<Kind> cycle_kind(const RepeatCycle& cycle, const Series& series) {
    if (series.misfire.empty()) {
        return Kind{GridRule{cycle}};
    }
    const auto misfire = simple_misfire_named(series.misfire);
    if (!misfire) {
        return ParseError{
            "the misfire instruction of a cycle must be smart, ignore, fire-now, "
            "now-with-existing, now-with-remaining, next-with-remaining or next-with-existing",
            0};
    }
    const schema::IsoDuration& period = cycle.period;
    if (period.years != 0 || period.months != 0 || period.days != 0) {
        return ParseError{
            "with a misfire instruction the period must be exact: hours, minutes and seconds, such "
            "as PT24H",
            0};
    }
    return Kind{SimpleRule{cycle, *misfire}};
}

ParseResult<Kind> kind_of(std::string_view text, const Series& series, const Zone& zone) {
    const auto expression = parse_timer_expression(text);
    if (!expression) {
        return expression.error();
    }
    if (const auto* cron = std::get_if<CronExpression>(&expression.value())) {
        return wall_kind(*cron, series, zone);
    }
    if (const auto* daily = std::get_if<DailyTimes>(&expression.value())) {
        return wall_kind(*daily, series, zone);
    }
    if (const auto* cycle = std::get_if<RepeatCycle>(&expression.value())) {
        return cycle_kind(*cycle, series);
    }
    return ParseError{
        "this text does not repeat: expected a cycle (R3/PT10H), a cron text or times of each day "
        "(every 45m from 09:00 to 17:00); what is due once is a due date",
        0};
}

}  // namespace

ParseResult<SeriesRules> read_rules(const Series& series, const schema::CalendarTexts& calendars) {
    const TaggedText tagged = without_tags(series.repeat);
    const auto zone = Zone::find(tagged.zone.empty() ? series.zone : tagged.zone);
    if (!zone) {
        return ParseError{zone.error().message, 0};
    }
    const auto kind = kind_of(tagged.text, series, zone.value());
    if (!kind) {
        return kind.error();
    }
    SeriesRules rules{kind.value(), zone.value()};
    if (!series.calendar.empty()) {
        const auto calendar = find_calendar(series.calendar, calendars);
        if (!calendar) {
            return ParseError{calendar.error().message, 0};
        }
        rules.calendar = calendar.value();
    }
    return rules;
}

std::optional<RepeatCycle> cycle_in(const Series& series) {
    const auto expression = parse_timer_expression(without_tags(series.repeat).text);
    const auto* cycle = expression ? std::get_if<RepeatCycle>(&expression.value()) : nullptr;
    return cycle == nullptr ? std::nullopt : std::optional(*cycle);
}

std::optional<SimpleMisfire> simple_misfire_named(std::string_view name) {
    const auto number = number_of(name);
    return number ? simple_misfire(*number) : find_word(kSimpleMisfires, name);
}

std::optional<CronMisfire> cron_misfire_named(std::string_view name) {
    const auto number = number_of(name);
    return number ? cron_misfire(*number) : find_word(kCronMisfires, name);
}

std::optional<DstRule> dst_rule_named(std::string_view name) {
    if (name == "quartz") {
        return DstRule::quartz;
    }
    return name == "run-once" ? std::optional(DstRule::run_once) : std::nullopt;
}

}  // namespace jobstrand::timers
