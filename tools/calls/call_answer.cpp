#include "tools/calls/call_answer.hpp"

#include "schema/text/iso8601.hpp"
#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <ctime>
#include <optional>

namespace jobstrand::cli {

namespace {

using namespace std::chrono_literals;
using executor::Failed;
using executor::HandlerResult;
using executor::Interrupted;
using schema::Duration;

/// However long an app says; a job that waits longer is forgotten.
constexpr std::chrono::seconds kLongestWait = 24h;

/// Of the app's words that go into the one-line message.
constexpr std::size_t kLineWidth = 200;

constexpr int kAccepted = 202;
constexpr int kTooMany = 429;
constexpr int kUnavailable = 503;
constexpr std::array kRetried{408, 409, 425, kTooMany};

/// Seconds, or a date as RFC 9110 (10.2.3) has it. nullopt: neither.
[[nodiscard]] std::optional<Duration> wait_of(const std::string& text, schema::TimePoint now) {
    std::int64_t seconds = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    if (!text.empty() && error == std::errc{} && end == text.data() + text.size()) {
        return std::chrono::seconds(std::clamp<std::int64_t>(seconds, 0, kLongestWait.count()));
    }
    std::tm date{};
    if (::strptime(text.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &date) == nullptr) {
        return std::nullopt;
    }
    const auto then = schema::TimePoint(std::chrono::seconds(::timegm(&date)));
    return std::clamp<Duration>(then - now, 0s, kLongestWait);
}

[[nodiscard]] bool is_retried(int status, const TargetSettings& target) {
    return status >= 500 || std::ranges::count(kRetried, status) > 0 ||
           std::ranges::count(target.retry_statuses, status) > 0;
}

[[nodiscard]] std::string first_line(std::string_view body) {
    const std::size_t start = std::min(body.find_first_not_of(" \t\r\n"), body.size());
    const std::string_view line = body.substr(start, body.find_first_of("\r\n", start) - start);
    return cut_to_width(printable(line), kLineWidth);
}

[[nodiscard]] HandlerResult result_of_status(
    const std::string& name,
    const TargetSettings& target,
    const CallAnswer& answer,
    schema::TimePoint now
) {
    if (answer.status >= 200 && answer.status < 300) {
        return executor::Succeeded{};
    }
    const bool may_wait = answer.status == kTooMany || answer.status == kUnavailable;
    const auto wait = may_wait ? wait_of(answer.retry_after, now) : std::nullopt;
    if (wait && !target.waits_use_retries) {
        return Interrupted{.wait = std::max<Duration>(*wait, 1s)};
    }
    const bool is_redirect = answer.status >= 300 && answer.status < 400;
    const std::string said = is_redirect ? "redirects are not followed" : first_line(answer.body);
    const std::string status = fmt::format("{} {}", answer.status, printable(answer.reason));
    return Failed{
        .message =
            fmt::format("target {} answered {}{}{}", name, status, said.empty() ? "" : ": ", said),
        .details = fmt::format("{}\n\n{}", status, answer.body),
        .retryable = is_retried(answer.status, target),
        .retry_after = wait,
    };
}

}  // namespace

bool is_accepted(const TargetSettings& target, const CallAnswer& answer) {
    return target.call_back_within && answer.kind == CallAnswer::Kind::answered &&
           answer.status == kAccepted;
}

HandlerResult result_of_call(
    const std::string& name,
    const TargetSettings& target,
    const CallAnswer& answer,
    schema::TimePoint now
) {
    switch (answer.kind) {
        case CallAnswer::Kind::answered:
            return result_of_status(name, target, answer, now);
        case CallAnswer::Kind::timed_out:
            return Failed{
                .message = fmt::format(
                    "target {} gave no answer within {}",
                    name,
                    schema::format_duration(target.time_limit)
                )};
        case CallAnswer::Kind::failed:
            return Failed{.message = fmt::format("target {}: {}", name, answer.error)};
        case CallAnswer::Kind::stopped:
        case CallAnswer::Kind::not_begun:
            break;
    }
    return Interrupted{};
}

}  // namespace jobstrand::cli
