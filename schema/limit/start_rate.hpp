#pragma once

#include "schema/text/parse_result.hpp"
#include "schema/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// How often jobs of a group start. Pure.
///
/// It is the generic cell rate algorithm (ITU-T I.371): of a group nothing is known but one point
/// in time, up to which its starts have used the rate up. So nobody counts starts.
namespace jobstrand::schema {

/// The most starts of a rate, and its longest period.
inline constexpr int kMostStarts = 1'000'000;
inline constexpr Duration kLongestRatePeriod = std::chrono::days(1);

/// At most so many starts in any stretch of time of this length. A tenth of them may come at once
/// after a pause; the rest follow evenly, so that a machine behind them is not hit by a wave.
struct StartRate {
    int starts = 1;                    ///< 1 to kMostStarts.
    Duration period = Duration(1000);  ///< 1 s to kLongestRatePeriod.

    bool operator==(const StartRate&) const = default;
};

/// The time until which a rate is used up. It is finer than other times, because starts of a fast
/// rate are less than a millisecond apart.
using UsedUntil = std::chrono::sys_time<std::chrono::microseconds>;

/// `100/PT1M`.
[[nodiscard]] std::string text_of(const StartRate& rate);
[[nodiscard]] ParseResult<StartRate> parse_start_rate(std::string_view text);

/// How many may start now, where the rate is used up until `used_until` (nullopt: it is not at
/// all). A time further away than a period was written by a clock that has jumped since, and does
/// not count.
[[nodiscard]] std::int64_t
starts_left(const StartRate& rate, std::optional<UsedUntil> used_until, TimePoint now);

/// Returns until when the rate is used up after `starts` more starts. Precondition: so many were
/// left.
[[nodiscard]] UsedUntil used_after(
    const StartRate& rate,
    std::optional<UsedUntil> used_until,
    TimePoint now,
    std::int64_t starts
);

/// How long to wait until it is worth looking again, because some of those that may come at once
/// are left; zero: now.
[[nodiscard]] Duration
until_next_starts(const StartRate& rate, std::optional<UsedUntil> used_until, TimePoint now);

}  // namespace jobstrand::schema
