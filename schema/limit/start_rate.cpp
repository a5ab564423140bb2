#include "schema/limit/start_rate.hpp"

#include "schema/text/iso8601.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace jobstrand::schema {

namespace {

using std::chrono::microseconds;

constexpr Duration kShortestRatePeriod = std::chrono::seconds(1);

/// Who waits for starts of a fast rate waits for this part of those that may come at once.
constexpr std::int64_t kPartOfBurst = 2;

std::int64_t burst_of(const StartRate& rate) {
    return std::max(rate.starts / 10, 1);
}

/// Starts of a period that come one by one: with those that may come at once before them, and with
/// both ends of the period met by one, they are what the rate allows.
std::int64_t even_starts_of(const StartRate& rate) {
    return rate.starts - burst_of(rate) + 1;
}

std::int64_t period_of(const StartRate& rate) {
    return microseconds(rate.period).count();
}

/// How far ahead of now the rate is used up.
microseconds lead_of(const StartRate& rate, std::optional<UsedUntil> used_until, TimePoint now) {
    if (!used_until || *used_until <= now || *used_until - now > rate.period) {
        return microseconds{0};
    }
    return *used_until - now;
}

/// The time that so many starts use up, rounded against them.
microseconds time_of(const StartRate& rate, std::int64_t starts) {
    const std::int64_t even = even_starts_of(rate);
    return microseconds((starts * period_of(rate) + even - 1) / even);
}

ParseError rate_error(std::string message, std::size_t position = 0) {
    return {.message = std::move(message), .position = position};
}

}  // namespace

std::string text_of(const StartRate& rate) {
    return std::to_string(rate.starts) + "/" + format_duration(rate.period);
}

ParseResult<StartRate> parse_start_rate(std::string_view text) {
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos) {
        return rate_error("a rate is written STARTS/PERIOD, as in 100/PT1M");
    }
    StartRate rate;
    const char* const end = text.data() + slash;
    const auto [read, error] = std::from_chars(text.data(), end, rate.starts);
    if (error != std::errc() || read != end || rate.starts < 1 || rate.starts > kMostStarts) {
        return rate_error("the starts of a rate must be 1 to " + std::to_string(kMostStarts));
    }
    const ParseResult<Duration> period = parse_duration(text.substr(slash + 1));
    if (!period) {
        return rate_error(period.error().message, slash + 1 + period.error().position);
    }
    rate.period = period.value();
    if (rate.period < kShortestRatePeriod || rate.period > kLongestRatePeriod) {
        return rate_error("the period of a rate must be PT1S to P1D", slash + 1);
    }
    return rate;
}

std::int64_t
starts_left(const StartRate& rate, std::optional<UsedUntil> used_until, TimePoint now) {
    // A microsecond that rounding has added holds nobody up.
    const microseconds lead =
        std::max(lead_of(rate, used_until, now) - microseconds{1}, microseconds{0});
    const std::int64_t used = lead.count() * even_starts_of(rate);
    const std::int64_t all = burst_of(rate) * period_of(rate);
    return std::max<std::int64_t>((all - used) / period_of(rate), 0);
}

UsedUntil used_after(
    const StartRate& rate,
    std::optional<UsedUntil> used_until,
    TimePoint now,
    std::int64_t starts
) {
    return now + lead_of(rate, used_until, now) + time_of(rate, starts);
}

Duration
until_next_starts(const StartRate& rate, std::optional<UsedUntil> used_until, TimePoint now) {
    const std::int64_t burst = burst_of(rate);
    const std::int64_t wanted = std::max<std::int64_t>(burst / kPartOfBurst, 1);
    const std::int64_t even = even_starts_of(rate);
    // The lead at which so many are left.
    const microseconds enough((burst - wanted) * period_of(rate) / even);
    const microseconds wait = lead_of(rate, used_until, now) - enough;
    return std::max(std::chrono::ceil<Duration>(wait), Duration{0});
}

}  // namespace jobstrand::schema
