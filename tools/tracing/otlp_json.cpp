#include "tools/tracing/otlp_json.hpp"

#include "schema/job_transition.hpp"
#include "tools/text/json_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <vector>

namespace jobstrand::cli {

namespace {

using schema::TransitionReason;

/// Numbers of the protocol.
constexpr int kConsumer = 5;
constexpr int kOk = 1;
constexpr int kError = 2;

[[nodiscard]] std::string text_attribute(std::string_view key, std::string_view text) {
    return fmt::format(R"({{"key":"{}","value":{{"stringValue":{}}}}})", key, json_string(text));
}

/// Integers of 64 bits are texts there.
[[nodiscard]] std::string number_attribute(std::string_view key, std::int64_t number) {
    return fmt::format(R"({{"key":"{}","value":{{"intValue":"{}"}}}})", key, number);
}

[[nodiscard]] std::int64_t nanoseconds(schema::TimePoint time) {
    return std::chrono::nanoseconds(time.time_since_epoch()).count();
}

/// From when the job could run.
[[nodiscard]] schema::Duration waited(const executor::FinishedRun& run) {
    const auto could_run = std::max(run.job.due_date, run.job.create_time);
    return could_run ? std::max(run.began - *could_run, schema::Duration{0}) : schema::Duration{0};
}

[[nodiscard]] std::string attributes_of(const executor::FinishedRun& run) {
    const std::vector<std::string> attributes{
        text_attribute("messaging.system", "jobstrand"),
        text_attribute("messaging.operation.type", "process"),
        text_attribute("messaging.destination.name", run.job.handler_type),
        text_attribute("messaging.message.id", run.job.id),
        text_attribute("messaging.message.conversation_id", run.job.correlation_id),
        number_attribute("jobstrand.attempt", run.attempt),
        text_attribute("jobstrand.outcome", schema::name_of(run.reason)),
        number_attribute("jobstrand.wait_ms", waited(run).count()),
    };
    return fmt::format("{}", fmt::join(attributes, ","));
}

/// An interrupted run is neither.
[[nodiscard]] std::string status_of(const executor::FinishedRun& run) {
    if (run.reason == TransitionReason::completed) {
        return fmt::format(R"({{"code":{}}})", kOk);
    }
    if (run.error.empty() && run.reason == TransitionReason::interrupted) {
        return "{}";
    }
    return fmt::format(R"({{"code":{},"message":{}}})", kError, json_string(run.error));
}

}  // namespace

std::string otlp_span(const executor::FinishedRun& run, const schema::TraceParent& span) {
    const auto parent = schema::parse_trace_parent(run.job.trace_parent);
    return fmt::format(
        R"({{"traceId":"{}","spanId":"{}",{}"name":{},"kind":{},"startTimeUnixNano":"{}",)"
        R"("endTimeUnixNano":"{}","attributes":[{}],"status":{}}})",
        span.trace_id,
        span.parent_id,
        parent ? fmt::format(R"("parentSpanId":"{}",)", parent->parent_id) : "",
        json_string(run.job.handler_type),
        kConsumer,
        nanoseconds(run.began),
        nanoseconds(run.ended),
        attributes_of(run),
        status_of(run)
    );
}

std::string otlp_request(std::string_view service_name, std::span<const std::string> spans) {
    return fmt::format(
        R"({{"resourceSpans":[{{"resource":{{"attributes":[{}]}},"scopeSpans":[{{"scope":)"
        R"({{"name":"jobstrand","version":"{}"}},"spans":[{}]}}]}}]}})",
        text_attribute("service.name", service_name),
        JOBSTRAND_VERSION,
        fmt::join(spans, ",")
    );
}

}  // namespace jobstrand::cli
