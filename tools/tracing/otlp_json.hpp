#pragma once

#include "executor/report/finished_run.hpp"
#include "schema/text/trace_parent.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

/// Spans as OTLP writes them in JSON:
/// https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
namespace jobstrand::cli {

/// The span of a run; its parent is the span that the job was enqueued in.
[[nodiscard]] std::string
otlp_span(const executor::FinishedRun& run, const schema::TraceParent& span);

/// The span before it: from when the node took the job until its handler began. Its parent is the
/// same, or else that of the run. nullopt: there was nothing to wait for.
[[nodiscard]] std::optional<std::string>
otlp_lock_span(const executor::FinishedRun& run, const schema::TraceParent& span);

/// The body of a request with these spans.
[[nodiscard]] std::string
otlp_request(std::string_view service_name, std::span<const std::string> spans);

}  // namespace jobstrand::cli
