#pragma once

#include "executor/loop/activity.hpp"
#include "executor/loop/wake_ups.hpp"
#include "executor/pool/held_jobs.hpp"
#include "executor/report/failure_log.hpp"
#include "executor/report/outcome_counts.hpp"
#include "executor/report/run_counts.hpp"
#include "persistence/executor_store.hpp"
#include "schema/clock.hpp"
#include "schema/duration_histogram.hpp"
#include "schema/failure_classes.hpp"
#include "schema/log.hpp"
#include "schema/size_histogram.hpp"

#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace jobstrand::executor {

/// Writes what became of runs. Workers drop outcomes into a mailbox; a pass writes all that have
/// gathered in one transaction. So the batch grows by itself under load and is one job when idle,
/// without a timer.
///
/// An outcome stays in the mailbox until the database has taken it or said that the lock is lost,
/// however long the database is away.
///
/// Thread safety: what adds and is_empty() are safe; run_once() belongs to the loop's strand.
class JobCompletion final : public Activity {
public:
    struct Dependencies {
        persistence::ExecutorStore& store;
        HeldJobs& held;
        const WakeUps& wake_ups;
        const schema::Clock& clock;
        schema::Log& log;
    };

    JobCompletion(Dependencies dependencies, std::string lock_owner);

    void add(persistence::Outcome outcome);

    /// An outcome that somebody else has written: it is counted and told of like the others.
    void add_written(persistence::Outcome outcome);

    /// Its run has ended, and there is nothing to be written.
    void forget(HeldJobPtr held);

    [[nodiscard]] bool is_empty() const;

    /// What it has written. Safe to look at from any thread.
    [[nodiscard]] const OutcomeCounts& counts() const { return counts_; }

    /// What the failed attempts among them died of.
    [[nodiscard]] const schema::FailureClasses& failure_classes() const { return classes_; }

    /// How long it took to write them, and how many there were, for each transaction.
    [[nodiscard]] const schema::DurationHistogram& times() const { return times_; }
    [[nodiscard]] const schema::SizeHistogram& sizes() const { return sizes_; }

    /// Of what it has written. A run whose outcome it never sees is added by whoever knows of it.
    [[nodiscard]] RunCounts& run_counts() { return run_counts_; }

    [[nodiscard]] std::string_view name() const noexcept override { return "job completion"; }
    [[nodiscard]] schema::Duration run_once() override;

    /// Writes what the mailbox still has when its loop has been stopped. While the database is in
    /// trouble it tries again, until `limit` has passed: then these jobs run again elsewhere.
    void write_the_rest(schema::Duration limit);

private:
    void fetch_mail();
    void fetch_what_others_wrote();
    void write_one_by_one();
    void tell_of_timers(std::span<const persistence::Outcome> outcomes) const;
    void tell_of_unserved() const;
    void on_answer(const persistence::Outcome& outcome, persistence::OutcomeAnswer answer);
    void log_move(const persistence::Outcome& outcome, bool is_lost);
    void uncount_lost_starts();
    [[nodiscard]] schema::Duration after_writing(std::size_t written);
    [[nodiscard]] schema::Duration until_next_count();

    // Constant after construction.
    const Dependencies use_;
    const std::string lock_owner_;

    OutcomeCounts counts_;
    schema::FailureClasses classes_;
    schema::DurationHistogram times_;
    schema::SizeHistogram sizes_;
    RunCounts run_counts_;

    // Touched only on the strand.
    std::vector<persistence::Outcome> writing_;
    std::vector<std::string> ended_starts_;  ///< Of jobs whose lock was lost.
    FailureLog failures_;

    // Guarded by mutex_.
    mutable std::mutex mutex_;
    std::vector<persistence::Outcome> mailbox_;
    std::vector<persistence::Outcome> written_;  ///< By others, and not told of yet.
    std::vector<HeldJobPtr> forgotten_;
    std::size_t unwritten_ = 0;  ///< In the mailbox or being written.
};

}  // namespace jobstrand::executor
