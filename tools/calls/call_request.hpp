#pragma once

#include "executor/job_handler.hpp"
#include "schema/time.hpp"
#include "tools/calls/http_target.hpp"

#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>

namespace jobstrand::cli {

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

}  // namespace jobstrand::cli
