#pragma once

#include "executor/loop/activity.hpp"
#include "executor/loop/wake_ups.hpp"
#include "executor/pool/held_jobs.hpp"
#include "executor/report/executor_figures.hpp"
#include "executor/report/outcome_report.hpp"
#include "executor/report/run_records.hpp"
#include "persistence/executor_store.hpp"
#include "persistence/outcome.hpp"
#include "persistence/sql/db_error.hpp"
#include "schema/clock.hpp"
#include "schema/log.hpp"
#include "schema/time.hpp"

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::executor {

/// Where runs leave what became of them, until it is written. Whoever writes is woken (WakeUps):
/// the first when something lies here, the second when that fills a transaction.
///
/// Thread safety: safe.
class OutcomeMailbox final {
public:
    explicit OutcomeMailbox(const WakeUps& wake_ups) : wake_ups_(wake_ups) {}

    void add(persistence::Outcome outcome);

    /// Adds one that must not be written before those that were added so earlier: only take() gives
    /// it out.
    void add_in_order(persistence::Outcome outcome);

    /// Adds an outcome that another party has written already.
    void add_written(persistence::Outcome outcome);

    /// Its run has ended, and there is nothing to be written.
    void forget(HeldJobPtr held);

    /// Moves the oldest into `batch`, up to what a transaction takes; those of add_in_order()
    /// first. The caller writes one batch after the other.
    void take(std::vector<persistence::Outcome>& batch);

    /// Takes outcomes only if they fill a transaction. Another caller may write its own beside.
    void take_whole(std::vector<persistence::Outcome>& batch);

    /// What needs no writing any more.
    struct Ended {
        std::vector<persistence::Outcome> written;
        std::vector<HeldJobPtr> forgotten;
    };
    [[nodiscard]] Ended take_ended();

    /// Call when `count` taken outcomes are written.
    void were_written(std::size_t count);

    /// Whether nothing lies here that is to be written.
    [[nodiscard]] bool is_empty() const;

    /// Whether nothing is to be written, here or by those that took it.
    [[nodiscard]] bool is_all_written() const;

private:
    [[nodiscard]] std::size_t waiting() const { return in_order_.size() + waiting_.size(); }

    const WakeUps& wake_ups_;

    // Guarded by mutex_.
    mutable std::mutex mutex_;
    std::deque<persistence::Outcome> in_order_;
    std::deque<persistence::Outcome> waiting_;  ///< The others.
    Ended ended_;
    std::size_t unwritten_ = 0;  ///< Waiting, or being written.
};

/// Outcomes that the database refuses for a reason that does not pass by itself: a trigger, a lost
/// right. They are kept, and tried again after 1 s, 2 s, 4 s, up to a minute. Pure.
///
/// Outcomes of one exclusive group are written in the order of its runs: so those that come behind
/// a refused one are kept with it, and tried after it.
class RefusedOutcomes final {
public:
    /// Adds an outcome that the database refused at `now`, of that exclusive group; empty: of none.
    /// Returns whether that is the first time.
    bool add(persistence::Outcome outcome, std::string_view group, schema::SteadyPoint now);

    /// Takes the outcome if a refused one of its group waits here. Returns whether it did.
    [[nodiscard]] bool add_behind(persistence::Outcome& outcome, std::string_view group);

    /// All are to be tried again now: there may be no other time.
    void make_all_due();

    /// Takes out those that are to be tried again, each with those behind it.
    [[nodiscard]] std::vector<persistence::Outcome> take_due(schema::SteadyPoint now);

    /// When the next one is to be tried again; nullopt: there is none.
    [[nodiscard]] std::optional<schema::SteadyPoint> next() const;

    /// What was taken out was written, or its lock is lost. Does nothing while one of the job waits
    /// here: that is of another run.
    void forget(const std::string& job);

    /// The handler types of all that add() has brought and forget() has not ended.
    [[nodiscard]] std::set<std::string> types() const;

    [[nodiscard]] bool is_empty() const { return refused_.empty(); }
    [[nodiscard]] std::size_t size() const { return refused_.size(); }

private:
    struct Refused {
        std::string handler_type;
        std::string group;
        schema::Duration wait{};
        schema::SteadyPoint next{};
        std::optional<persistence::Outcome> outcome = {};  ///< nullopt: it is being tried again.
        std::vector<persistence::Outcome> behind = {};
    };

    std::map<std::string, Refused, std::less<>> refused_;  ///< By the id of the job.
};

/// Writes what became of runs. Workers drop outcomes into a mailbox; a pass writes all that have
/// gathered in one transaction. So the batch grows by itself under load and is one job when idle,
/// without a timer. Where one transaction after the other is not enough, whole ones gather, and a
/// second loop (beside()) takes them.
///
/// An outcome stays here until the database has taken it or said that the lock is lost, however
/// long the database is away. One that it refuses for good is tried again from time to time; its
/// lock is renewed meanwhile, so that nobody runs the job once more. Those of its exclusive group
/// that come behind it wait for it (see GroupOrder), and hold up no others.
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
        /// Told the handler types whose outcomes are refused, whenever that changes; empty: nobody
        /// is.
        std::function<void(std::set<std::string>)> when_refused = {};
        LastRuns* last_runs = nullptr;  ///< Told the runs that succeed; nullptr: nobody is.
    };

    JobCompletion(Dependencies dependencies, std::string lock_owner);

    void add(persistence::Outcome outcome) { mailbox_.add(std::move(outcome)); }

    /// It is not written before those that were added so earlier.
    void add_in_order(persistence::Outcome outcome) { mailbox_.add_in_order(std::move(outcome)); }

    /// An outcome that somebody else has written: it is counted and told of like the others.
    void add_written(persistence::Outcome outcome) { mailbox_.add_written(std::move(outcome)); }

    /// Its run has ended, and there is nothing to be written.
    void forget(HeldJobPtr held) { mailbox_.forget(std::move(held)); }

    [[nodiscard]] bool is_empty() const { return mailbox_.is_all_written(); }

    /// Safe to ask from any thread.
    [[nodiscard]] RefusedNow refused() const {
        const std::lock_guard lock(refused_mutex_);
        return {.outcomes = refused_.size(), .types = refused_.types()};
    }

    /// What it has written. Safe to look at from any thread.
    [[nodiscard]] const OutcomeReport& report() const { return report_; }

    /// Returns the counts of runs whose outcomes it has written. Who knows of other runs adds them.
    [[nodiscard]] RunCounts& run_counts() { return report_.run_counts; }
    [[nodiscard]] ThroughputCounts& throughput() { return report_.throughput; }

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
        std::set<const schema::Job*> lost;      ///< All of these jobs.
    };

    [[nodiscard]] schema::Duration write_beside();
    void take_what_others_wrote();
    void write(Batch& batch);
    void hold_back_behind_refused(Batch& batch);
    [[nodiscard]] bool waits_behind_refused(persistence::Outcome& outcome);
    void write_one_by_one(Batch& batch);
    /// false: the database refuses it, and it is kept.
    [[nodiscard]] bool write_one(Batch& batch, persistence::Outcome& outcome);
    void keep(persistence::Outcome outcome, const persistence::DbError& error);
    void try_refused_again();
    void forget_refused(std::span<const persistence::Outcome> written);
    void log_refused_types();
    void log_unwritten(const std::string& why) const;
    void on_answer(Batch& batch, const persistence::Outcome& outcome, persistence::OutcomeAnswer);
    void log_ended(
        std::span<const persistence::Outcome> outcomes,
        std::span<const persistence::OutcomeAnswer> answers
    ) const;
    void uncount_lost_starts(Batch& batch);
    void tell_of(std::span<const persistence::Outcome> outcomes) const;
    void log_room() const;
    [[nodiscard]] schema::Duration until_next_pass();

    // Constant after construction.
    const Dependencies use_;
    const std::string lock_owner_;

    // Thread-safe.
    OutcomeMailbox mailbox_;
    OutcomeReport report_;

    Batch first_;
    Batch second_;
    Batch again_;  ///< Of what was refused; on the strand of run_once().

    mutable std::mutex refused_mutex_;
    RefusedOutcomes refused_;           ///< Guarded by refused_mutex_.
    std::set<std::string> told_types_;  ///< Likewise.
    NamedPass beside_{"second job completion", [this] { return write_beside(); }};
};

}  // namespace jobstrand::executor
