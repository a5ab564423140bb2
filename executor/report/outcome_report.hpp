#pragma once

#include "executor/report/executor_figures.hpp"
#include "executor/report/failure_log.hpp"
#include "executor/report/run_counts.hpp"
#include "executor/report/throughput_counts.hpp"
#include "persistence/outcome.hpp"
#include "schema/clock.hpp"
#include "schema/failure_classes.hpp"
#include "schema/histogram.hpp"
#include "schema/log.hpp"

#include <mutex>
#include <optional>

namespace jobstrand::executor {

/// Counts what became of runs, and says it in the log.
///
/// Thread safety: safe. Clock and log must outlive it.
class OutcomeReport final {
public:
    OutcomeReport(const schema::Clock& clock, schema::Log& log)
        : log_(log), failures_(clock, log) {}

    /// The outcome has been stored.
    void stored(const persistence::Outcome& outcome);

    /// Reports an outcome that was discarded because the lock was lost.
    void lost(const persistence::Outcome& outcome);

    /// Says which failures were left out (FailureLog). Returns when to call it again; nullopt:
    /// nothing is left to be said.
    std::optional<schema::SteadyPoint> write_counts();

    /// Says all that is left to be said: the executor stops.
    void write_all_counts();

    // Thread-safe.
    OutcomeCounts counts;
    schema::FailureClasses classes;   ///< What the failed attempts among them died of.
    schema::DurationHistogram times;  ///< How long each transaction took.
    schema::SizeHistogram sizes;      ///< Outcomes of each transaction.
    RunCounts run_counts;
    ThroughputCounts throughput;

private:
    void log_move(const persistence::Outcome& outcome, bool is_lost);

    schema::Log& log_;

    // Guarded by mutex_.
    std::mutex mutex_;
    FailureLog failures_;
};

}  // namespace jobstrand::executor
