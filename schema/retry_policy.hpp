#pragma once

#include "schema/text/iso8601.hpp"
#include "schema/text/parse_result.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace jobstrand::schema {

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

/// What applies to jobs that do not say it themselves. One object per engine, from its settings.
struct RetryPolicy {
    int default_attempts = 3;                         ///< asyncExecutorNumberOfRetries (R166).
    Duration message_wait{std::chrono::seconds(10)};  ///< asyncFailedJobWaitTime (R109).
    Duration timer_wait{std::chrono::seconds(10)};    ///< defaultFailedJobWaitTime.
    std::optional<RetryCycle> cycle = {};  ///< failedJobRetryTimeCycle, if one is configured.
};

}  // namespace jobstrand::schema
