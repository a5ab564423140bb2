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

/// `operation` is a word of the conventions for messaging.
[[nodiscard]] std::vector<std::string>
attributes_of(const executor::FinishedRun& run, std::string_view operation) {
    return {
        text_attribute("messaging.system", "jobstrand"),
        text_attribute("messaging.operation.type", operation),
        text_attribute("messaging.destination.name", run.job.handler_type),
        text_attribute("messaging.message.id", run.job.id),
        text_attribute("messaging.message.conversation_id", run.job.correlation_id),
        number_attribute("jobstrand.attempt", run.attempt),
    };
}

[[nodiscard]] std::vector<std::string> attributes_of_run(const executor::FinishedRun& run) {
    std::vector<std::string> attributes = attributes_of(run, "process");
    attributes.push_back(text_attribute("jobstrand.outcome", schema::name_of(run.reason)));
    attributes.push_back(number_attribute("jobstrand.wait_ms", waited(run).count()));
    return attributes;
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

/// As random as the id of the run, and another one.
[[nodiscard]] std::string id_of_lock(std::string_view id_of_run) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string id;
    for (const char digit : id_of_run) {
        id += kDigits[kDigits.size() - 1 - kDigits.find(digit)];
    }
    return id;
}

struct SpanOfTrace {
    std::string_view trace;
    std::string_view id;
    std::string_view parent;  ///< Empty: it has none.
    std::string name;
    schema::TimePoint began;
    schema::TimePoint ended;
    std::vector<std::string> attributes;
    std::string status;
};

[[nodiscard]] std::string json_of(const SpanOfTrace& span) {
    return fmt::format(
        R"({{"traceId":"{}","spanId":"{}",{}"name":{},"kind":{},"startTimeUnixNano":"{}",)"
        R"("endTimeUnixNano":"{}","attributes":[{}],"status":{}}})",
        span.trace,
        span.id,
        span.parent.empty() ? "" : fmt::format(R"("parentSpanId":"{}",)", span.parent),
        json_string(span.name),
        kConsumer,
        nanoseconds(span.began),
        nanoseconds(span.ended),
        fmt::join(span.attributes, ","),
        span.status
    );
}

}  // namespace

std::string otlp_span(const executor::FinishedRun& run, const schema::TraceParent& span) {
    const auto parent = schema::parse_trace_parent(run.job.trace_parent);
    return json_of({
        .trace = span.trace_id,
        .id = span.parent_id,
        .parent = parent ? std::string_view(parent->parent_id) : std::string_view(),
        .name = run.job.handler_type,
        .began = run.began,
        .ended = run.ended,
        .attributes = attributes_of_run(run),
        .status = status_of(run),
    });
}

std::optional<std::string>
otlp_lock_span(const executor::FinishedRun& run, const schema::TraceParent& span) {
    if (!run.locked || *run.locked >= run.began) {
        return std::nullopt;
    }
    const auto parent = schema::parse_trace_parent(run.job.trace_parent);
    const std::string id = id_of_lock(span.parent_id);
    return json_of({
        .trace = span.trace_id,
        .id = id,
        .parent = parent ? parent->parent_id : span.parent_id,
        .name = "lock " + run.job.handler_type,
        .began = *run.locked,
        .ended = run.began,
        .attributes = attributes_of(run, "receive"),
        .status = "{}",
    });
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
