#include "schema/job_failure.hpp"

#include "schema/ensure.hpp"
#include "schema/limits.hpp"
#include "schema/text/parsing.hpp"
#include "schema/text/utf8.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace jobstrand::schema {

JobFailure cut_to_limits(JobFailure failure) {
    failure.message = first_characters(failure.message, limits::kExceptionMessageLength);
    failure.details = last_bytes(failure.details, limits::kExceptionDetailsBytes);
    return failure;
}

namespace {

constexpr std::size_t kClassBytes = 120;
constexpr std::size_t kCodeLetters = 16;
constexpr std::size_t kCodeDigits = 6;
constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kCapitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
constexpr std::string_view kNameEnds = "_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
constexpr std::string_view kNameJoints = ".:$";

[[nodiscard]] bool is_one_of(std::string_view characters, char c) {
    return characters.find(c) != std::string_view::npos;
}

[[nodiscard]] bool looks_like_name(std::string_view text) {
    if (text.empty() || text.size() > kClassBytes || !is_one_of(kNameEnds, text.front()) ||
        !is_one_of(kNameEnds, text.back())) {
        return false;
    }
    const bool is_of_name = std::ranges::all_of(text, [](char c) {
        return is_one_of(kNameEnds, c) || is_one_of(kDigits, c) || is_one_of(kNameJoints, c);
    });
    const std::string_view last = text.substr(text.find_last_of(kNameJoints) + 1);
    return is_of_name && (text.find_first_of(kDigits) == std::string_view::npos ||
                          is_one_of(kCapitals, last.front()));
}

[[nodiscard]] bool looks_like_code(std::string_view text) {
    const std::size_t letters = std::min(text.find_first_not_of(kCapitals), text.size());
    std::string_view digits = text.substr(letters);
    if (letters > 0 && !digits.empty() && is_one_of("-_ ", digits.front())) {
        digits.remove_prefix(1);
    }
    const bool has_digits =
        !digits.empty() && digits.find_first_not_of(kDigits) == std::string_view::npos;
    const bool is_length_right = letters > 0
                                     ? letters <= kCodeLetters && digits.size() <= kCodeDigits
                                     : digits.size() >= 3 && digits.size() < kCodeDigits;
    return has_digits && is_length_right;
}

/// How a handler of ours speaks of a failure: of whom, whose name is one word, and what happened.
struct OwnWords {
    std::string_view who;
    std::string_view what;
    std::string_view error_class;  ///< A number behind `what` belongs to it if it ends in a blank.
};

constexpr std::array<OwnWords, 6> kOwnWords{{
    {"command ", " failed with exit code ", "exit "},
    {"command ", " was ended by signal ", "signal "},
    {"command ", " was ended at its time limit of ", "timeout"},
    {"target ", " answered ", "HTTP "},
    {"target ", " gave no answer within ", "timeout"},
    {"target ", ": ", "no answer"},
}};

/// Empty: these are other words.
[[nodiscard]] std::string class_by(const OwnWords& words, std::string_view message) {
    if (!message.starts_with(words.who)) {
        return {};
    }
    message.remove_prefix(words.who.size());
    message.remove_prefix(std::min(message.find_first_of(" :"), message.size()));
    if (!message.starts_with(words.what)) {
        return {};
    }
    std::string error_class(words.error_class);
    if (!error_class.ends_with(' ')) {
        return error_class;
    }
    message.remove_prefix(words.what.size());
    const std::string_view number = message.substr(0, message.find_first_not_of(kDigits));
    return number.empty() || number.size() > kCodeDigits ? std::string()
                                                         : error_class.append(number);
}

}  // namespace

std::string error_class_of(std::string_view message) {
    const std::string_view first = message.substr(0, message.find(": "));
    if (looks_like_name(first) || looks_like_code(first)) {
        return std::string(first);
    }
    for (const OwnWords& words : kOwnWords) {
        if (std::string error_class = class_by(words, message); !error_class.empty()) {
            return error_class;
        }
    }
    return {};
}

void FailureClasses::add(std::string_view message) {
    std::string name = error_class_of(message);
    if (name.empty()) {
        name = kNone;
    }
    const std::scoped_lock lock(mutex_);
    auto found = counts_.find(name);
    if (found == counts_.end()) {
        const bool has_room = counts_.size() < kMost || name == kNone;
        found = counts_.try_emplace(has_room ? name : std::string(kOther), 0).first;
    }
    ++found->second;
}

FailureClasses::Counts FailureClasses::counts() const {
    const std::scoped_lock lock(mutex_);
    return counts_;
}

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
