#pragma once

#include "bench/core/latency_histogram.hpp"
#include "bench/core/nodes.hpp"
#include "bench/core/run_ledger.hpp"
#include "bench/core/time_stamps.hpp"

#include <cstddef>

namespace jobstrand::bench {

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
