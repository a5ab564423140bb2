#include "tools/calls/call_request.hpp"

#include "schema/text/iso8601.hpp"
#include "tools/calls/webhook_signature.hpp"
#include "tools/text/percent.hpp"

#include <boost/beast/http/verb.hpp>

#include <chrono>
#include <string>

namespace jobstrand::cli {

namespace {

namespace http = boost::beast::http;
using service::percent_encoded;

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

}  // namespace jobstrand::cli
