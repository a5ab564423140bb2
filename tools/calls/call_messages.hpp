#pragma once

#include "executor/job_handler.hpp"
#include "schema/text/parsing.hpp"
#include "schema/time.hpp"
#include "tools/settings/settings.hpp"
#include "tools/text/http_address.hpp"

#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace jobstrand::cli {

/// An app that `http` jobs call, with its files read.
struct HttpTarget {
    std::string name;
    TargetSettings settings;
    HttpUrl url;
    std::string secret;  ///< Its bytes; empty: calls are not signed.
};

/// Reads the secret. Throws std::runtime_error that says what is wrong with its file.
[[nodiscard]] HttpTarget open_target(const std::string& name, const TargetSettings& settings);

/// The bytes of a secret as Standard Webhooks writes it, `whsec_` and Base64:
/// https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
[[nodiscard]] schema::ParseResult<std::string> parse_webhook_secret(std::string_view text);

/// The value of the header `webhook-signature`: `v1,` and the HMAC-SHA256 of id, time and body in
/// Base64. `seconds` are those since 1970, as in `webhook-timestamp`.
[[nodiscard]] std::string webhook_signature(
    std::string_view secret,
    std::string_view id,
    std::int64_t seconds,
    std::string_view body
);

using CallRequest = boost::beast::http::request<boost::beast::http::string_body>;

/// The POST of one run: the payload is its body. Its headers are those that the target's table
/// names, and
///
/// - `webhook-id`, `webhook-timestamp`, `webhook-signature`: Standard Webhooks; the last one only
///   with a secret
/// - `jobstrand-job-id`, `jobstrand-correlation-id`: percent-encoded
/// - `jobstrand-attempt`: 1 for the first
/// - `traceparent`: the job's trace, and a span of this attempt; only if the job is in one
/// - `jobstrand-fencing-token`: grows with every run of the job
/// - `jobstrand-deadline`: when the answer must be there
/// - `jobstrand-callback-within`: how long after a 202 the app may tell the end, where it may
///
/// `deadline` is by the clock that `now` was read from.
[[nodiscard]] CallRequest request_for(
    const executor::JobContext& context,
    const HttpTarget& target,
    schema::TimePoint now,
    schema::TimePoint deadline
);

/// How a call ended.
struct CallAnswer {
    enum class Kind {
        answered,
        failed,     ///< No connection, or it broke: `error` says how.
        timed_out,  ///< The answer was not there at the deadline.
        stopped,    ///< The job's stop signal came.
        not_begun,  ///< This process lacks descriptors or memory: `error` says which.
    };
    Kind kind = Kind::failed;
    int status = 0;
    std::string reason = {};       ///< The words behind the status.
    std::string retry_after = {};  ///< The header as it came.
    std::string body = {};         ///< Its beginning.
    std::string error = {};
};

/// Whether the app has accepted the job and will tell later what became of it: 202, where the
/// target says how long that may take.
[[nodiscard]] bool is_accepted(const TargetSettings& target, const CallAnswer& answer);

/// What becomes of the job, unless it is accepted:
///
/// | answer                              | the job                                       |
/// |-------------------------------------|-----------------------------------------------|
/// | 2xx                                 | succeeded                                     |
/// | 429 or 503 with Retry-After         | runs again then; no retry is used, unless     |
/// |                                     | waitsUseRetries                               |
/// | 408, 409, 425, 429, 5xx,            | failed, is retried                            |
/// | retryStatuses                       |                                               |
/// | any other                           | failed, goes to the dead letters; a redirect  |
/// |                                     | is not followed                               |
/// | none: no connection, or too late    | failed, is retried                            |
/// | none: the service stops, or lacks   | runs again later, no retry is used            |
/// | what a call needs                   |                                               |
///
/// `now` is the time that a date in Retry-After is compared with.
[[nodiscard]] executor::HandlerResult result_of_call(
    const std::string& name,
    const TargetSettings& target,
    const CallAnswer& answer,
    schema::TimePoint now
);

}  // namespace jobstrand::cli
