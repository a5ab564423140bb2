#pragma once

#include "schema/text/parsing.hpp"
#include "schema/text/time_text.hpp"
#include "schema/time.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::schema {

/// What a failed attempt leaves behind. Already cut to what the columns hold (see cut_to_limits).
struct JobFailure {
    std::string message = {};  ///< One line for lists; goes to EXCEPTION_MSG_.
    std::string details = {};  ///< Stack trace or captured output; goes to ACT_GE_BYTEARRAY.
    bool retryable = true;     ///< false: straight to the dead letters, whatever retries are left.
    /// The handler's own wish for the wait; wins over the policy.
    std::optional<Duration> retry_after = {};
    /// How many attempts are left, if whoever ran the job says so: they are not counted then.
    std::optional<int> retries_left = {};

    bool operator==(const JobFailure&) const = default;
};

/// Cuts the message at limits::kExceptionMessageLength characters and the details to their last
/// limits::kExceptionDetailsBytes bytes, both at whole UTF-8 characters; bytes that are not UTF-8
/// are replaced by U+FFFD, and NUL by U+FFFD too, because PostgreSQL stores neither.
[[nodiscard]] JobFailure cut_to_limits(JobFailure failure);

/// What stands before the first `: ` of a message of one line, or all of it, if it looks like the
/// name of an error or like a code; empty: neither. It has at most 120 bytes, all of them ASCII
/// letters, digits and `._$:- `.
///
/// - A name has letters, digits, `_`, `$`, dots and colons, and begins and ends with a letter or
///   `_`. If it has digits, its last part begins with a capital: `java.io.IOException`,
///   `std::bad_alloc`, `timeout`, `Http2Error`, but not `host7.example`.
/// - A code is up to 16 capitals and up to 6 digits, with nothing, `-`, `_` or a blank between:
///   `ORA-00942`, `HTTP 503`; or 3 to 5 digits: `503`.
///
/// What our own handlers say has a class too, which does not stand at its beginning: `exit 3`,
/// `signal 9` or `timeout` of a command, `HTTP 500`, `no answer` or `timeout` of a target.
[[nodiscard]] std::string error_class_of(std::string_view message);

/// How many attempts have failed of which class of error, for whoever watches. However many classes
/// there are, so many at most are told apart.
///
/// Thread safety: safe.
class FailureClasses final {
public:
    using Counts = std::map<std::string, std::uint64_t, std::less<>>;

    /// Classes with a count of their own: those that were seen first.
    static constexpr std::size_t kMost = 50;

    /// Of those beyond them, and of messages without a class.
    static constexpr std::string_view kOther = "other";
    static constexpr std::string_view kNone = "none";

    /// An attempt has failed; see error_class_of().
    void add(std::string_view message);

    [[nodiscard]] Counts counts() const;

private:
    mutable std::mutex mutex_;
    Counts counts_;  ///< Guarded by mutex_.
};

/// How often a job is run and how long it waits in between, read from text:
///
/// | text                | attempts | waits                                              |
/// |---------------------|----------|----------------------------------------------------|
/// | `R5/PT5M`           | 5        | 5 min before each next one (R068)                  |
/// | `PT10M,PT17M,PT20M` | 4        | 10, 17, 20 min; the last one for any excess (R074) |
/// | `PT10M`             | 2        | 10 min                                             |
/// | `R0/PT5M`           | 1        | none, as `R1/PT5M`                                 |
///
/// Blanks around the text and around the commas of a list mean nothing, as in Camunda 7.
///
/// As in Camunda 7 (reference: its failed-job command).
struct RetryCycle {
    int attempts = 0;                    ///< At least 1.
    std::vector<IsoDuration> intervals;  ///< At least one.

    bool operator==(const RetryCycle&) const = default;
};

[[nodiscard]] ParseResult<RetryCycle> parse_retry_cycle(std::string_view text);

/// The wait after a failed attempt, for a job that had `retries` attempts left before it (R074,
/// R077): the list is counted from its end, so a job whose retries were raised above the list's
/// size waits the first interval until it is back inside the list.
[[nodiscard]] IsoDuration wait_after_failure(const RetryCycle& cycle, int retries);

/// What applies to jobs that do not say it themselves. One object per engine, from its settings, or
/// from the texts of the public RetryOptions.
struct RetryPolicy {
    int default_attempts = 3;                         ///< asyncExecutorNumberOfRetries (R166).
    Duration message_wait{std::chrono::seconds(10)};  ///< asyncFailedJobWaitTime (R109).
    Duration timer_wait{std::chrono::seconds(10)};    ///< defaultFailedJobWaitTime.
    std::optional<RetryCycle> cycle = {};  ///< failedJobRetryTimeCycle, if one is configured.
};

}  // namespace jobstrand::schema
