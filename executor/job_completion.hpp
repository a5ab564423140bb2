#pragma once

#include "executor/held_jobs.hpp"
#include "executor/loop/activity.hpp"
#include "persistence/executor_store.hpp"
#include "schema/log.hpp"

#include <functional>
#include <mutex>
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
/// Thread safety: add() and is_empty() are safe; run_once() belongs to the loop's strand.
class JobCompletion final : public Activity {
public:
    JobCompletion(
        persistence::ExecutorStore& store,
        HeldJobs& held,
        schema::Log& log,
        std::string lock_owner
    );

    /// Called after an outcome was put into an empty mailbox: wakes the loop. Set before the first
    /// add().
    void on_mail(std::function<void()> wake) { wake_ = std::move(wake); }

    /// Called on the strand with the earliest due date of the timers that a pass has stored: a
    /// retry that waits. Set before the first add().
    void on_timer(std::function<void(schema::TimePoint)> tell) { tell_of_timer_ = std::move(tell); }

    void add(persistence::Outcome outcome);

    [[nodiscard]] bool is_empty() const;

    [[nodiscard]] std::string_view name() const noexcept override { return "job completion"; }
    [[nodiscard]] schema::Duration run_once() override;

private:
    void fetch_mail();
    void write_one_by_one();
    void tell_of_timers() const;
    void log_move(const persistence::Outcome& outcome, persistence::OutcomeAnswer answer);
    [[nodiscard]] schema::Duration after_writing(std::size_t written);

    // Constant after construction.
    persistence::ExecutorStore& store_;
    HeldJobs& held_;
    schema::Log& log_;
    const std::string lock_owner_;
    std::function<void()> wake_;
    std::function<void(schema::TimePoint)> tell_of_timer_;

    // Touched only on the strand.
    std::vector<persistence::Outcome> writing_;

    // Guarded by mutex_.
    mutable std::mutex mutex_;
    std::vector<persistence::Outcome> mailbox_;
    std::size_t unwritten_ = 0;  ///< In the mailbox or being written.
};

}  // namespace jobstrand::executor
