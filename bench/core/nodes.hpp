#pragma once

#include "bench/core/bench.hpp"
#include "bench/core/result.hpp"
#include "bench/core/run_ledger.hpp"
#include "executor/job_handler.hpp"
#include "schema/time.hpp"
#include "tools/engine/wiring.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace jobstrand::bench {

/// Executors on the measured database, each a whole engine with threads and connections of its own.
class Nodes final {
public:
    /// As many as the options say, with their settings; all run jobs with `handler`.
    Nodes(const Bench& bench, const executor::JobHandler& handler);

    /// The URL in the options is replaced by the measured one.
    Nodes(const Bench& bench, engine::WiringOptions options, const executor::JobHandler& handler);

    /// Stops those that run.
    ~Nodes();

    Nodes(const Nodes&) = delete;
    Nodes& operator=(const Nodes&) = delete;

    /// Before start(): a type beside that of the handler.
    void add_handler(std::string_view type, const executor::JobHandler& handler);

    void start();

    /// Throws std::runtime_error when a handler does not end.
    void stop();

    /// The one that takes in what producers hand over.
    [[nodiscard]] engine::Wiring& first() { return *engines_.front(); }

private:
    std::vector<std::unique_ptr<engine::Wiring>> engines_;
    bool running_ = false;
};

/// An engine that only enqueues, as another process would.
[[nodiscard]] std::unique_ptr<engine::Wiring> other_process(const Bench& bench);

/// Does nothing but count the job; `ledger` must outlive it.
[[nodiscard]] executor::JobHandler no_op_handler(RunLedger& ledger);

/// A job with this number, for the ledger, and a payload of at least so many bytes.
[[nodiscard]] schema::Job numbered_job(std::size_t number, std::size_t payload_bytes = 0);

/// When each of many numbered things happened. Written and read by any threads.
class TimeStamps final {
public:
    explicit TimeStamps(std::size_t count) : nanos_(count) {}

    void set(std::size_t number, schema::SteadyPoint time) noexcept {
        nanos_[number].store(time.time_since_epoch().count(), std::memory_order_release);
    }

    /// The epoch of the clock when nothing was set.
    [[nodiscard]] schema::SteadyPoint at(std::size_t number) const noexcept {
        return schema::SteadyPoint(
            schema::SteadyPoint::duration(nanos_[number].load(std::memory_order_acquire))
        );
    }

private:
    std::vector<std::atomic<std::int64_t>> nanos_;
};

/// Jobs that are enqueued one by one, each in a transaction of its own, with the times of each.
///
/// Thread safety: safe; measure() only when all have run.
class TimedJobs final {
public:
    explicit TimedJobs(std::size_t count);

    /// Notes when each job starts.
    [[nodiscard]] executor::JobHandler handler();

    /// Enqueues one job through `engine`; `intended` is when this should have begun.
    void send(engine::Wiring& engine, std::size_t number, schema::SteadyPoint intended);

    /// From the intended time, and from the commit, to the start of the handler. The delay of a
    /// sender that was held up counts in both: a job sent in time would have met the same trouble.
    void measure(LatencyHistogram& from_intended, LatencyHistogram& from_commit) const;

    RunLedger ledger;

private:
    TimeStamps intended_;
    TimeStamps sent_;
    TimeStamps committed_;
    TimeStamps started_;
    const std::size_t count_;
};

}  // namespace jobstrand::bench
