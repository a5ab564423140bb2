#include "schema/retry_policy.hpp"

#include "schema/ensure.hpp"
#include "schema/limits.hpp"
#include "schema/text/text_scanner.hpp"

#include <algorithm>
#include <string>

namespace jobstrand::schema {
namespace {

/// Reads the duration that stands at `start`; a position in an error counts from the whole text.
ParseResult<IsoDuration> duration_at(std::string_view text, std::size_t start, std::size_t length) {
    auto duration = parse_iso_duration(text.substr(start, length));
    if (!duration) {
        return ParseError{duration.error().message, start + duration.error().position};
    }
    return duration;
}

constexpr std::string_view kBlanks = " \t\r\n";

/// Where `text` ends without the blanks behind it.
std::size_t end_of(std::string_view text) {
    return text.find_last_not_of(kBlanks) + 1;
}

/// `R5/PT5M`: one interval for all attempts.
ParseResult<RetryCycle> parse_repetition(std::string_view text) {
    TextScanner scanner(text);
    scanner.expect('R', "R");
    const std::size_t count_position = scanner.position();
    const std::int64_t count = scanner.number("the number of attempts");
    if (count > limits::kRetryAttempts) {
        scanner.fail_at(
            count_position,
            "at most " + std::to_string(limits::kRetryAttempts) + " attempts are allowed"
        );
    }
    scanner.expect('/', "'/' and a duration");
    if (scanner.failed()) {
        return scanner.result(RetryCycle{});
    }
    const auto interval = duration_at(text, scanner.position(), std::string_view::npos);
    if (!interval) {
        return interval.error();
    }
    return RetryCycle{std::max(1, static_cast<int>(count)), {interval.value()}};
}

/// `PT10M,PT17M`: one interval for each retry.
ParseResult<RetryCycle> parse_list(std::string_view text) {
    RetryCycle cycle;
    for (std::size_t start = 0; start <= text.size();) {
        if (cycle.intervals.size() == limits::kRetryIntervals) {
            return ParseError{
                "at most " + std::to_string(limits::kRetryIntervals) + " intervals are allowed",
                start};
        }
        const std::size_t comma = std::min(text.find(',', start), text.size());
        start = std::min(text.find_first_not_of(kBlanks, start), comma);
        const std::size_t length = end_of(text.substr(start, comma - start));
        const auto interval = duration_at(text, start, length);
        if (!interval) {
            return interval.error();
        }
        cycle.intervals.push_back(interval.value());
        start = comma + 1;
    }
    cycle.attempts = static_cast<int>(cycle.intervals.size()) + 1;
    return cycle;
}

}  // namespace

ParseResult<RetryCycle> parse_retry_cycle(std::string_view text) {
    const std::size_t start = std::min(text.find_first_not_of(kBlanks), text.size());
    const std::string_view whole = text.substr(0, std::max(end_of(text), start));
    if (!whole.substr(start).starts_with('R')) {
        return parse_list(whole);
    }
    auto cycle = parse_repetition(whole.substr(start));
    if (!cycle) {
        return ParseError{cycle.error().message, start + cycle.error().position};
    }
    return cycle;
}

IsoDuration wait_after_failure(const RetryCycle& cycle, int retries) {
    JOBSTRAND_ENSURE(!cycle.intervals.empty());
    const int count = static_cast<int>(cycle.intervals.size());
    const int index = std::clamp(count - (retries - 1), 0, count - 1);
    return cycle.intervals[static_cast<std::size_t>(index)];
}

}  // namespace jobstrand::schema
