#include "timers/zone/spoken_time.hpp"

#include "schema/text/parsing.hpp"
#include "schema/text/time_text.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <utility>

namespace jobstrand::timers {
namespace {

using schema::Duration;
using schema::ParseError;
using schema::ParseResult;
using schema::TextScanner;
using schema::TimePoint;

using What = decltype(SpokenTime::what);

constexpr std::array<std::pair<std::string_view, int>, 3> kDays{{
    {"yesterday", -1},
    {"today", 0},
    {"tomorrow", 1},
}};

constexpr std::string_view kAhead = "in ";
constexpr std::string_view kBehind = " ago";

/// `9:00`, `14:00`, `14:00:30`.
[[nodiscard]] bool begins_like_clock(std::string_view text) {
    const std::size_t colon = text.find(':');
    return (colon == 1 || colon == 2) && text.find_first_not_of("0123456789") == colon;
}

/// What was read of a part of a text, as of the whole.
template <typename Value>
[[nodiscard]] ParseResult<What> part(const ParseResult<Value>& read, std::size_t offset) {
    if (!read) {
        return ParseError{read.error().message, offset + read.error().position};
    }
    return What{read.value()};
}

[[nodiscard]] ParseResult<NearDay> read_clock(int days, std::string_view text) {
    TextScanner scanner(text);
    const bool has_one_digit = text.find(':') == 1;
    const std::chrono::hours hours{scanner.digits(has_one_digit ? 1 : 2, "hour", 0, 23)};
    scanner.expect(':', "':' before the minute");
    const std::chrono::minutes minutes{scanner.digits(2, "minute", 0, 59)};
    Duration time = hours + minutes;
    if (scanner.take(':')) {
        time += std::chrono::seconds{scanner.digits(2, "second", 0, 59)};
    }
    scanner.expect_end();
    return scanner.result(NearDay{days, time});
}

[[nodiscard]] ParseResult<FromNow> from_now(std::string_view text, std::optional<Toward> toward) {
    const auto distance = schema::parse_spoken_duration(text);
    if (!distance) {
        return distance.error();
    }
    return FromNow{distance.value(), toward};
}

[[nodiscard]] ParseResult<What> read_day(int days, std::string_view text, std::size_t word) {
    if (text.size() == word) {
        return What{NearDay{days}};
    }
    return part(read_clock(days, text.substr(word + 1)), word + 1);
}

[[nodiscard]] ParseResult<What> read_date_and_time(std::string text) {
    constexpr std::size_t kDate = 10;
    if (text.size() > kDate && text[kDate] == ' ') {
        text[kDate] = 'T';
    }
    return part(parse_timer_date(text), 0);
}

[[nodiscard]] ParseResult<What> read_what(std::string_view text) {
    if (begins_like_date(text)) {
        return read_date_and_time(std::string(text));
    }
    if (begins_like_clock(text)) {
        return part(read_clock(0, text), 0);
    }
    const std::size_t word = std::min(text.find(' '), text.size());
    for (const auto& [name, days] : kDays) {
        if (text.substr(0, word) == name) {
            return read_day(days, text, word);
        }
    }
    if (text == "now") {
        return What{FromNow{{}, Toward::ahead}};
    }
    if (text.starts_with(kAhead)) {
        return part(from_now(text.substr(kAhead.size()), Toward::ahead), kAhead.size());
    }
    if (text.ends_with(kBehind)) {
        return part(from_now(text.substr(0, text.size() - kBehind.size()), Toward::behind), 0);
    }
    if (text.find_first_of("0123456789P") == 0) {
        return part(from_now(text, std::nullopt), 0);
    }
    return ParseError{
        "expected a time such as 2026-11-20T10:15Z, 14:00, tomorrow 09:00, 5m or 2h ago", 0};
}

/// Where the name of a zone begins, if one stands last; text.size(): none does.
[[nodiscard]] std::size_t zone_position(std::string_view text) {
    const std::size_t blank = text.rfind(' ');
    const bool is_last_of_two = text.starts_with(kAhead) && blank + 1 == kAhead.size();  // in PT5M
    if (blank == text.npos || blank + 1 == text.size() || is_last_of_two) {
        return text.size();
    }
    const char first = text[blank + 1];
    return first >= 'A' && first <= 'Z' ? blank + 1 : text.size();
}

[[nodiscard]] bool is_instant(const What& what) {
    const auto* const date = std::get_if<TimerDate>(&what);
    return date != nullptr && !date->in_zone;
}

/// Finds the instant: a visitor for the ways to say one.
struct Resolve {
    const Zone& zone;
    TimePoint now;
    Toward bare;

    std::optional<TimePoint> operator()(const TimerDate& date) const { return date.in(zone); }
    std::optional<TimePoint> operator()(const NearDay& near) const {
        const auto today = std::chrono::floor<std::chrono::days>(to_wall(zone, now));
        return to_instant(zone, WallTime{today + std::chrono::days{near.days}} + near.time);
    }
    std::optional<TimePoint> operator()(const FromNow& from) const {
        const bool is_behind = from.toward.value_or(bare) == Toward::behind;
        return is_behind ? subtract(zone, now, from.distance) : add(zone, now, from.distance);
    }
};

}  // namespace

std::optional<TimePoint> SpokenTime::at(const Zone& context, TimePoint now, Toward bare) const {
    const auto time = std::visit(Resolve{zone ? *zone : context, now, bare}, what);
    const bool is_storable =
        time && *time >= schema::kEarliestInstant && *time <= schema::kLatestInstant;
    return is_storable ? time : std::nullopt;
}

ParseResult<SpokenTime> parse_spoken_time(std::string_view text) {
    const std::size_t zone_at = zone_position(text);
    const auto what = read_what(text.substr(0, zone_at == text.size() ? zone_at : zone_at - 1));
    if (!what) {
        return what.error();
    }
    if (zone_at == text.size()) {
        return SpokenTime{what.value()};
    }
    if (is_instant(what.value())) {
        return ParseError{"the time has an offset already: leave the zone out", zone_at};
    }
    const auto zone = Zone::find(text.substr(zone_at));
    if (!zone) {
        return ParseError{zone.error().message, zone_at};
    }
    return SpokenTime{what.value(), zone.value()};
}

}  // namespace jobstrand::timers
