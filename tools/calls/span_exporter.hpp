#pragma once

#include "executor/report/attempt_trace.hpp"
#include "schema/log.hpp"
#include "schema/time.hpp"
#include "tools/calls/call_pool.hpp"
#include "tools/calls/http_client.hpp"
#include "tools/calls/span_counts.hpp"
#include "tools/settings/settings.hpp"

#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace jobstrand::cli {

/// Sends the spans of runs to a collector, by OTLP over HTTP: many in one request, every few
/// seconds or when many have gathered. What no collector takes stays for the next time, up to a
/// bound (I8); beyond it new spans are dropped and counted. A run never waits for it.
///
/// Thread safety: safe. The client and the log must outlive it.
class SpanExporter final : public std::enable_shared_from_this<SpanExporter> {
public:
    /// Of one request, and of all that wait.
    static constexpr std::size_t kBatch = 512;
    static constexpr std::size_t kMost = 8192;

    /// Sends every `interval`, once it is started. Precondition: the endpoint is a URL.
    SpanExporter(
        HttpClient& client,
        schema::Log& log,
        const SpanSettings& settings,
        schema::Duration interval = std::chrono::seconds(5)
    );

    void start();

    /// Takes the spans of a run that is sampled.
    void add(const executor::WatchedRun& run);

    /// Sends what is there; returns when that has been done, refused, or `limit` is over. What a
    /// collector does not take now is dropped.
    void flush(schema::Duration limit);

    [[nodiscard]] const SpanCounts& counts() const { return counts_; }

private:
    /// Those of one run: they wait, or are dropped, together.
    void add(std::vector<std::string> spans);

    // On the thread of the client.
    void tick();
    void send();
    void on_answer(const CallAnswer& answer);
    void on_refused(const CallAnswer& answer);
    [[nodiscard]] CallPool::Prepared prepared() const;

    HttpClient& client_;
    schema::Log& log_;
    const std::string service_name_;
    const schema::Duration interval_;
    const std::shared_ptr<CallPool> collector_;
    SpanCounts counts_;

    // Touched only on the thread of the client.
    boost::asio::steady_timer timer_;
    std::vector<std::string> batch_;  ///< Being sent, or to be sent again.
    bool is_sending_ = false;
    bool is_away_ = false;  ///< The collector, as far as the log says.

    // Guarded by mutex_.
    std::mutex mutex_;
    std::condition_variable sent_;
    std::deque<std::string> waiting_;
    std::size_t unsent_ = 0;  ///< Those that wait, and those of the batch.
    bool is_last_ = false;    ///< flush() was called.
};

}  // namespace jobstrand::cli
