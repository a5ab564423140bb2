#pragma once

#include "executor/loop/activity.hpp"
#include "executor/loop/named_pass.hpp"
#include "executor/loop/wake_ups.hpp"
#include "executor/outcome_mailbox.hpp"
#include "executor/pool/held_jobs.hpp"
#include "executor/report/outcome_report.hpp"
#include "persistence/executor_store.hpp"
#include "schema/clock.hpp"
#include "schema/log.hpp"

#include <span>
#include <string>
#include <vector>

namespace jobstrand::executor {

/// Writes what became of runs. Workers drop outcomes into a mailbox; a pass writes all that have
/// gathered in one transaction. So the batch grows by itself under load and is one job when idle,
/// without a timer. Where one transaction after the other is not enough, whole ones gather, and a
/// second loop (beside()) takes them.
///
/// An outcome stays in the mailbox until the database has taken it or said that the lock is lost,
/// however long the database is away.
///
/// Thread safety: what adds and is_empty() are safe; run_once() belongs to the loop's strand, that
/// of beside() to another one.
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

    void add(persistence::Outcome outcome) { mailbox_.add(std::move(outcome)); }

    /// An outcome that somebody else has written: it is counted and told of like the others.
    void add_written(persistence::Outcome outcome) { mailbox_.add_written(std::move(outcome)); }

    /// Its run has ended, and there is nothing to be written.
    void forget(HeldJobPtr held) { mailbox_.forget(std::move(held)); }

    [[nodiscard]] bool is_empty() const { return mailbox_.is_all_written(); }

    /// What it has written. Safe to look at from any thread.
    [[nodiscard]] const OutcomeReport& report() const { return report_; }

    /// Of what it has written. A run whose outcome it never sees is added by whoever knows of it.
    [[nodiscard]] RunCounts& run_counts() { return report_.run_counts; }

    [[nodiscard]] std::string_view name() const noexcept override { return "job completion"; }
    [[nodiscard]] schema::Duration run_once() override;

    /// Writes whole transactions beside run_once() when it is woken (WakeUps::outcomes_pile_up).
    [[nodiscard]] Activity& beside() { return beside_; }

    /// Writes what the mailbox still has when its loops have been stopped. While the database is in
    /// trouble it tries again, until `limit` has passed: then these jobs run again elsewhere.
    void write_the_rest(schema::Duration limit);

private:
    /// What one loop writes. Touched only on its strand.
    struct Batch {
        std::vector<persistence::Outcome> outcomes;
        std::vector<std::string> ended_starts;  ///< Of jobs whose lock was lost.
    };

    [[nodiscard]] schema::Duration write_beside();
    void take_what_others_wrote();
    void write(Batch& batch);
    void write_one_by_one(Batch& batch);
    void on_answer(Batch& batch, const persistence::Outcome& outcome, persistence::OutcomeAnswer);
    void uncount_lost_starts(Batch& batch);
    void tell_of(std::span<const persistence::Outcome> outcomes) const;
    void tell_of_room() const;
    [[nodiscard]] schema::Duration until_next_count();

    // Constant after construction.
    const Dependencies use_;
    const std::string lock_owner_;

    // Thread-safe.
    OutcomeMailbox mailbox_;
    OutcomeReport report_;

    Batch first_;
    Batch second_;
    NamedPass beside_{"second job completion", [this] { return write_beside(); }};
};

}  // namespace jobstrand::executor
