#include "tools/calls/span_exporter.hpp"

#include "schema/job_transition.hpp"
#include "schema/text/trace_parent.hpp"
#include "tools/text/json_text.hpp"

#include <boost/asio/post.hpp>
#include <boost/beast/http/verb.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace jobstrand::cli {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using namespace std::chrono_literals;
using schema::TransitionReason;

namespace {

// Spans as OTLP writes them in JSON:
// https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding

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
[[nodiscard]] schema::Duration waited(const executor::WatchedRun& run) {
    const auto could_run = std::max(run.job.due_date, run.job.create_time);
    return could_run ? std::max(run.began - *could_run, schema::Duration{0}) : schema::Duration{0};
}

/// `operation` is a word of the conventions for messaging.
[[nodiscard]] std::vector<std::string>
attributes_of(const executor::WatchedRun& run, std::string_view operation) {
    return {
        text_attribute("messaging.system", "jobstrand"),
        text_attribute("messaging.operation.type", operation),
        text_attribute("messaging.destination.name", run.job.handler_type),
        text_attribute("messaging.message.id", run.job.id),
        text_attribute("messaging.message.conversation_id", run.job.correlation_id),
        number_attribute("jobstrand.attempt", run.attempt),
    };
}

[[nodiscard]] std::vector<std::string> attributes_of_run(const executor::WatchedRun& run) {
    std::vector<std::string> attributes = attributes_of(run, "process");
    attributes.push_back(text_attribute("jobstrand.outcome", schema::name_of(run.reason)));
    attributes.push_back(number_attribute("jobstrand.wait_ms", waited(run).count()));
    return attributes;
}

/// An interrupted run is neither.
[[nodiscard]] std::string status_of(const executor::WatchedRun& run) {
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

/// The span of a run; its parent is the span that the job was enqueued in.
[[nodiscard]] std::string
otlp_span(const executor::WatchedRun& run, const schema::TraceParent& span) {
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

/// The span before it: from when the node took the job until its handler began. Its parent is the
/// same, or else that of the run. nullopt: there was nothing to wait for.
[[nodiscard]] std::optional<std::string>
otlp_lock_span(const executor::WatchedRun& run, const schema::TraceParent& span) {
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

/// The body of a request with these spans.
[[nodiscard]] std::string
otlp_request(std::string_view service_name, std::span<const std::string> spans) {
    return fmt::format(
        R"({{"resourceSpans":[{{"resource":{{"attributes":[{}]}},"scopeSpans":[{{"scope":)"
        R"({{"name":"jobstrand","version":"{}"}},"spans":[{}]}}]}}]}})",
        text_attribute("service.name", service_name),
        JOBSTRAND_VERSION,
        fmt::join(spans, ",")
    );
}

/// For an answer of the collector.
constexpr schema::Duration kAnswerLimit = 10s;

[[nodiscard]] HttpTarget collector_of(const SpanSettings& settings) {
    std::string url = settings.endpoint;
    url += url.ends_with('/') ? "v1/traces" : "/v1/traces";
    return {
        .name = "otlpEndpoint",
        .settings = {.url = url, .time_limit = kAnswerLimit, .calls = 1},
        .url = parse_http_url(url).value(),
        .secret = {}};
}

[[nodiscard]] bool is_taken(const CallAnswer& answer) {
    return answer.kind == CallAnswer::Kind::answered && answer.status >= 200 && answer.status < 300;
}

/// As OTLP has it: what else is answered will be answered again.
[[nodiscard]] bool may_come_again(const CallAnswer& answer) {
    return answer.kind != CallAnswer::Kind::answered || answer.status == 429 ||
           (answer.status >= 502 && answer.status <= 504);
}

}  // namespace

SpanExporter::SpanExporter(
    HttpClient& client,
    schema::Log& log,
    const SpanSettings& settings,
    schema::Duration interval
)
    : client_(client),
      log_(log),
      service_name_(settings.service_name),
      interval_(interval),
      collector_(std::make_shared<CallPool>(client.context(), collector_of(settings))),
      timer_(client.context()) {}

void SpanExporter::start() {
    client_.start();
    asio::post(client_.context(), [weak = weak_from_this()] {
        if (const auto self = weak.lock()) {
            self->tick();
        }
    });
}

void SpanExporter::add(const executor::WatchedRun& run) {
    const auto span = schema::parse_trace_parent(run.trace_parent);
    if (!span || !span->is_sampled) {
        return;
    }
    std::vector<std::string> spans{otlp_span(run, *span)};
    if (auto lock = otlp_lock_span(run, *span)) {
        spans.push_back(std::move(*lock));
    }
    add(std::move(spans));
}

void SpanExporter::add(std::vector<std::string> spans) {
    bool is_batch = false;
    {
        const std::lock_guard lock(mutex_);
        if (waiting_.size() + spans.size() > kMost) {
            counts_.dropped += spans.size();
            return;
        }
        const bool was_batch = waiting_.size() >= kBatch;
        unsent_ += spans.size();
        std::move(spans.begin(), spans.end(), std::back_inserter(waiting_));
        is_batch = !was_batch && waiting_.size() >= kBatch;
    }
    if (is_batch) {
        asio::post(client_.context(), [self = shared_from_this()] { self->send(); });
    }
}

void SpanExporter::flush(schema::Duration limit) {
    {
        const std::lock_guard lock(mutex_);
        is_last_ = true;
    }
    asio::post(client_.context(), [self = shared_from_this()] { self->send(); });
    std::unique_lock lock(mutex_);
    sent_.wait_for(lock, limit, [this] { return unsent_ == 0; });
}

void SpanExporter::tick() {
    send();
    timer_.expires_after(interval_);
    timer_.async_wait([weak = weak_from_this()](boost::system::error_code error) {
        const auto self = weak.lock();
        if (self != nullptr && !error) {
            self->tick();
        }
    });
}

void SpanExporter::send() {
    if (is_sending_) {
        return;
    }
    if (batch_.empty()) {
        const std::lock_guard lock(mutex_);
        const auto count = static_cast<std::ptrdiff_t>(std::min(waiting_.size(), kBatch));
        std::move(waiting_.begin(), waiting_.begin() + count, std::back_inserter(batch_));
        waiting_.erase(waiting_.begin(), waiting_.begin() + count);
    }
    if (batch_.empty()) {
        return;
    }
    is_sending_ = true;
    collector_->call(
        [self = shared_from_this()] { return self->prepared(); },
        {},
        [self = shared_from_this()](const CallAnswer& answer) { self->on_answer(answer); }
    );
}

CallPool::Prepared SpanExporter::prepared() const {
    const HttpUrl& url = collector_->target().url;
    CallRequest request(http::verb::post, url.target, 11);
    request.set(http::field::host, url.authority);
    request.set(http::field::user_agent, "jobstrand/" JOBSTRAND_VERSION);
    request.set(http::field::content_type, "application/json");
    request.body() = otlp_request(service_name_, batch_);
    request.prepare_payload();
    return {std::move(request), kAnswerLimit};
}

void SpanExporter::on_answer(const CallAnswer& answer) {
    is_sending_ = false;
    std::unique_lock lock(mutex_);
    if (is_taken(answer)) {
        counts_.exported += batch_.size();
        is_away_ = false;
    } else {
        on_refused(answer);
        if (may_come_again(answer) && !is_last_) {
            return;  // With the next tick.
        }
        counts_.dropped += batch_.size();
    }
    unsent_ -= batch_.size();
    batch_.clear();
    sent_.notify_all();
    const bool has_more = is_last_ ? !waiting_.empty() : waiting_.size() >= kBatch;
    lock.unlock();
    if (has_more) {
        send();
    }
}

// Once, until it takes some again.
void SpanExporter::on_refused(const CallAnswer& answer) {
    if (std::exchange(is_away_, true)) {
        return;
    }
    log_.write(
        schema::LogLevel::warn,
        "the collector takes no spans; those that find no room are dropped",
        {{"endpoint", collector_->target().settings.url},
         {"status", answer.status},
         {"error", answer.error}}
    );
}

}  // namespace jobstrand::cli
