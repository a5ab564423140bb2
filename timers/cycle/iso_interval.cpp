#include "timers/cycle/iso_interval.hpp"

#include <vector>

namespace jobstrand::timers {
namespace {

using schema::ParseError;
using schema::ParseResult;

/// What stands between two slashes.
struct Segment {
    std::string_view text;
    std::size_t position;

    [[nodiscard]] bool is_period() const { return text.starts_with('P'); }
    [[nodiscard]] ParseError error(const ParseError& inner) const {
        return {inner.message, position + inner.position};
    }
};

std::vector<Segment> split_at_slashes(std::string_view text, std::size_t offset) {
    std::vector<Segment> segments;
    for (std::size_t begin = offset; begin <= text.size();) {
        const std::size_t end = std::min(text.find('/', begin), text.size());
        segments.push_back({text.substr(begin, end - begin), begin});
        begin = end + 1;
    }
    return segments;
}

/// START/END: its length is the period.
ParseResult<IsoInterval> between(const Segment& start_text, const Segment& end_text) {
    const auto start = parse_timer_date(start_text.text);
    if (!start) {
        return start_text.error(start.error());
    }
    const auto end = parse_timer_date(end_text.text);
    if (!end) {
        return end_text.error(end.error());
    }
    if (start.value().in_zone != end.value().in_zone) {
        return ParseError{"start and end must both have an offset, or neither", end_text.position};
    }
    if (end.value().wall <= start.value().wall) {
        return ParseError{"the end must be after the start", end_text.position};
    }
    return IsoInterval{start.value(), {0, 0, 0, end.value().wall - start.value().wall}, {}};
}

/// The segments around and with the period at index `period`.
ParseResult<IsoInterval> around(const std::vector<Segment>& segments, std::size_t period) {
    IsoInterval interval;
    const auto duration = schema::parse_iso_duration(segments[period].text);
    if (!duration) {
        return segments[period].error(duration.error());
    }
    interval.period = duration.value();
    for (std::size_t i = 0; i < segments.size(); ++i) {
        if (i == period) {
            continue;
        }
        const auto date = parse_timer_date(segments[i].text);
        if (!date) {
            return segments[i].error(date.error());
        }
        (i < period ? interval.start : interval.end) = date.value();
    }
    return interval;
}

}  // namespace

ParseResult<IsoInterval> parse_iso_interval(std::string_view text, std::size_t offset) {
    const std::vector<Segment> segments = split_at_slashes(text, offset);
    if (segments[0].is_period() && segments.size() <= 2) {
        return around(segments, 0);
    }
    if (segments.size() == 2 && !segments[1].is_period()) {
        return between(segments[0], segments[1]);
    }
    if (segments.size() >= 2 && segments.size() <= 3 && segments[1].is_period()) {
        return around(segments, 1);
    }
    return ParseError{"expected a duration, or START/DURATION, DURATION/END or START/END", offset};
}

}  // namespace jobstrand::timers
