#pragma once

#include "executor/report/executor_figures.hpp"
#include "executor/report/throughput_counts.hpp"
#include "persistence/outcome.hpp"
#include "schema/clock.hpp"
#include "schema/histogram.hpp"
#include "schema/job_failure.hpp"
#include "schema/log.hpp"
#include "schema/time.hpp"

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace jobstrand::executor {

/// Which of many equal lines are written: the first few of each second. The others are counted, and
/// the count is said once. Pure.
class LineBudget final {
public:
    explicit LineBudget(int lines_a_second) : most_(lines_a_second) {}

    /// Another line is there: whether it is to be written.
    [[nodiscard]] bool allows(schema::SteadyPoint now);

    /// How many were left out since it was last asked, when their second is over; 0: none, or the
    /// second is not over yet.
    [[nodiscard]] std::int64_t take_left_out(schema::SteadyPoint now);

    /// When take_left_out() will have something to say; nullopt: nothing was left out.
    [[nodiscard]] std::optional<schema::SteadyPoint> next_count() const;

private:
    const int most_;
    std::optional<schema::SteadyPoint> second_;  ///< When it began.
    int written_ = 0;                            ///< In this second.
    std::int64_t left_out_ = 0;
};

/// Says which runs have failed, and what becomes of their jobs: a warning for each attempt, an
/// error for each dead letter. When many jobs of one handler type fail, a few lines a second are
/// written for each of the two, and how many more there were.
///
/// Thread safety: none; it belongs to the strand of the completion. Clock and log must outlive it.
class FailureLog final {
public:
    /// Of one handler type and level.
    static constexpr int kLinesPerSecond = 5;

    FailureLog(const schema::Clock& clock, schema::Log& log) : clock_(clock), log_(log) {}

    /// An outcome has been stored; one that is no failure says nothing.
    void write(const persistence::Outcome& outcome);

    /// Says how many lines were left out in the seconds that are over. Returns when to call it
    /// again; nullopt: nothing is left to be said.
    std::optional<schema::SteadyPoint> write_counts();

    /// Says all that is left to be said: the executor stops.
    void write_all_counts();

private:
    struct Counts {
        LineBudget attempts{kLinesPerSecond};
        LineBudget dead_letters{kLinesPerSecond};
    };

    void write_line(const persistence::Outcome& outcome, bool is_dead);
    std::optional<schema::SteadyPoint> write_counts(schema::SteadyPoint now);

    const schema::Clock& clock_;
    schema::Log& log_;
    std::map<std::string, Counts, std::less<>> by_type_;
};

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
