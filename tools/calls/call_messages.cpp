#include "tools/calls/call_messages.hpp"

#include "persistence/drivers/password.hpp"
#include "persistence/sql/db_error.hpp"
#include "schema/text/time_text.hpp"
#include "tools/text/terminal_text.hpp"

#include <boost/beast/http/verb.hpp>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <ctime>
#include <optional>
#include <stdexcept>

namespace jobstrand::cli {

namespace http = boost::beast::http;
using namespace std::chrono_literals;
using executor::Failed;
using executor::HandlerResult;
using executor::Interrupted;
using schema::Duration;
using service::percent_encoded;

namespace {

[[nodiscard]] std::string secret_in(const std::string& file) {
    const auto secret = parse_webhook_secret(persistence::password_in_file(file));
    if (!secret) {
        throw std::runtime_error(
            fmt::format("the first line of {} {}", file, secret.error().message)
        );
    }
    return secret.value();
}

}  // namespace

HttpTarget open_target(const std::string& name, const TargetSettings& settings) {
    HttpTarget target{
        .name = name,
        .settings = settings,
        .url = parse_http_url(settings.url).value(),
        .secret = {},
    };
    // Defended catch: the reader of a password knows nothing of targets.
    try {
        if (!settings.secret_file.empty()) {
            target.secret = secret_in(settings.secret_file);
        }
    } catch (const persistence::DbError& error) {
        throw std::runtime_error(fmt::format("[targets.{}] secretFile: {}", name, error.what()));
    } catch (const std::runtime_error& error) {
        throw std::runtime_error(fmt::format("[targets.{}] secretFile: {}", name, error.what()));
    }
    return target;
}

namespace {

constexpr std::string_view kPrefix = "whsec_";

/// Of a key that nobody can guess; the specification asks for 24 to 64.
constexpr std::size_t kLeastBytes = 24;
constexpr std::size_t kMostBytes = 64;

[[nodiscard]] const unsigned char* bytes_of(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}

/// Empty: it is not Base64.
[[nodiscard]] std::string from_base64(std::string_view text) {
    if (text.empty() || text.size() % 4 != 0) {
        return {};
    }
    std::string bytes(text.size() / 4 * 3, '\0');
    const int length = EVP_DecodeBlock(
        reinterpret_cast<unsigned char*>(bytes.data()),
        bytes_of(text),
        static_cast<int>(text.size())
    );
    if (length < 0) {
        return {};
    }
    // It counts the padding as bytes.
    const std::size_t padding = text.ends_with("==") ? 2U : (text.ends_with('=') ? 1U : 0U);
    bytes.resize(static_cast<std::size_t>(length) - padding);
    return bytes;
}

}  // namespace

schema::ParseResult<std::string> parse_webhook_secret(std::string_view text) {
    if (!text.starts_with(kPrefix)) {
        return schema::ParseError{"must begin with whsec_"};
    }
    const std::string secret = from_base64(text.substr(kPrefix.size()));
    if (secret.size() < kLeastBytes || secret.size() > kMostBytes) {
        return schema::ParseError{fmt::format(
            "must be whsec_ and the Base64 of {} to {} bytes, as "
            "`echo whsec_$(openssl rand -base64 32)` prints it",
            kLeastBytes,
            kMostBytes
        )};
    }
    return {secret};
}

std::string webhook_signature(
    std::string_view secret,
    std::string_view id,
    std::int64_t seconds,
    std::string_view body
) {
    const std::string signed_text = fmt::format("{}.{}.{}", id, seconds, body);
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    const auto* const done = HMAC(
        EVP_sha256(),
        secret.data(),
        static_cast<int>(secret.size()),
        bytes_of(signed_text),
        signed_text.size(),
        digest.data(),
        &size
    );
    if (done == nullptr) {
        throw std::runtime_error("HMAC-SHA256 is not available");
    }
    std::string text((size + 2) / 3 * 4 + 1, '\0');
    const int length = EVP_EncodeBlock(
        reinterpret_cast<unsigned char*>(text.data()), digest.data(), static_cast<int>(size)
    );
    text.resize(static_cast<std::size_t>(length));
    return "v1," + text;
}

namespace {

void sign(
    CallRequest& request,
    const HttpTarget& target,
    const std::string& id,
    schema::TimePoint now
) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count();
    request.set("webhook-id", id);
    request.set("webhook-timestamp", std::to_string(seconds));
    if (!target.secret.empty()) {
        request.set(
            "webhook-signature", webhook_signature(target.secret, id, seconds, request.body())
        );
    }
}

}  // namespace

CallRequest request_for(
    const executor::JobContext& context,
    const HttpTarget& target,
    schema::TimePoint now,
    schema::TimePoint deadline
) {
    CallRequest request(http::verb::post, target.url.target, 11);
    for (const auto& [name, value] : target.settings.headers) {
        request.set(name, value);
    }
    request.set(http::field::host, target.url.authority);
    request.set(http::field::user_agent, "jobstrand/" JOBSTRAND_VERSION);
    request.set(http::field::content_type, "application/json");
    request.body() = context.job.payload;
    request.prepare_payload();

    const std::string id = percent_encoded(context.job.id);
    sign(request, target, id, now);
    request.set("jobstrand-job-id", id);
    request.set("jobstrand-correlation-id", percent_encoded(context.job.correlation_id));
    request.set("jobstrand-attempt", std::to_string(context.attempt));
    request.set("jobstrand-fencing-token", std::to_string(context.fencing_token));
    request.set("jobstrand-deadline", schema::format_instant(deadline));
    if (!context.trace_parent.empty()) {
        request.set("traceparent", context.trace_parent);
    }
    if (const auto within = target.settings.call_back_within) {
        request.set("jobstrand-callback-within", schema::format_duration(*within));
    }
    return request;
}

namespace {

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
