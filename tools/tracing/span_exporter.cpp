#include "tools/tracing/span_exporter.hpp"

#include "schema/text/trace_parent.hpp"
#include "tools/tracing/otlp_json.hpp"

#include <boost/asio/post.hpp>
#include <boost/beast/http/verb.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace jobstrand::cli {

namespace {

using namespace std::chrono_literals;
namespace asio = boost::asio;
namespace http = boost::beast::http;

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

void SpanExporter::add(const executor::FinishedRun& run) {
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
