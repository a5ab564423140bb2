#pragma once

#include "executor/async_runs.hpp"
#include "executor/cleaning.hpp"
#include "executor/executor_settings.hpp"
#include "executor/expired_lock_reset.hpp"
#include "executor/held_locks.hpp"
#include "executor/job_acquirer.hpp"
#include "executor/job_completion.hpp"
#include "executor/job_handler.hpp"
#include "executor/job_passing.hpp"
#include "executor/job_runner.hpp"
#include "executor/loop/job_intake.hpp"
#include "executor/loop/shared_looks.hpp"
#include "executor/loop/wake_ups.hpp"
#include "executor/node_presence.hpp"
#include "executor/pool/group_order.hpp"
#include "executor/pool/held_jobs.hpp"
#include "executor/pool/shared_threads.hpp"
#include "executor/pool/worker_pool.hpp"
#include "executor/report/attempt_trace.hpp"
#include "executor/report/executor_figures.hpp"
#include "executor/report/run_records.hpp"
#include "executor/report/throughput_counts.hpp"
#include "executor/served_here.hpp"
#include "executor/workers/external_work.hpp"
#include "persistence/executor_store.hpp"
#include "persistence/run_store.hpp"
#include "persistence/sql/job_listener.hpp"
#include "schema/clock.hpp"
#include "schema/log.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace jobstrand::executor {

class ExecutorThreads;
class JobWakeup;
class PollingLoop;

/// Takes jobs, runs them, and writes what became of them: the worker pool, the control threads, and
/// one loop each for acquisition, completion, lock renewal, expired-lock reset and each added
/// activity. It wires them and ends them in order, and contains no rules.
///
/// Nothing runs until start() (R004). start() and stop() may each be called once, stop() also
/// before start(); when stop() has returned true, no handler is running and every lock that this
/// executor held is released.
///
/// Thread safety: safe, except that add_activity() and listen() come before start(). Everything
/// passed in must outlive it.
class AsyncExecutor final : public JobIntake {
public:
    struct Dependencies {
        persistence::ExecutorStore& store;
        persistence::NodeStore& nodes;
        persistence::ServedStore& served;
        const HandlerRegistry& handlers;
        const schema::Clock& clock;
        schema::Log& log;
        WakeUps& wake_ups;                        ///< The executor sets its own loops as sleepers.
        SharedThreads::Share* threads = nullptr;  ///< With which others it shares them.
        OnRun on_run = {};                        ///< Empty: nobody watches.
        const RetryRule* retry_rule = nullptr;    ///< See JobRunner.
        bool has_one_writer = true;               ///< One transaction at a time writes: SQLite.
        persistence::ThroughputStore* throughput = nullptr;  ///< See ThroughputWriting.
        persistence::RunStore* runs = nullptr;  ///< Where the last runs are told; null: nowhere.
        persistence::RunNewsStore* news = nullptr;  ///< Likewise what runs tell of themselves.
    };

    /// Throws std::invalid_argument for settings that validate() finds fault with.
    AsyncExecutor(Dependencies dependencies, ExecutorSettings settings);
    ~AsyncExecutor() override;

    /// Gives an activity that brings in jobs (the timer mover) a strand of its own. It must outlive
    /// this object; the loop lives as long as this object does.
    PollingLoop& add_activity(Activity& activity);

    /// Hears of jobs that other processes enqueue.
    void listen(persistence::OpenListener open);

    /// Throws DbError when the node cannot be registered.
    void start();

    /// Handlers have come or gone: takes what is served now, and tells it to the other nodes soon.
    /// What is held of types that have gone is freed instead of started.
    void serve_anew();

    /// Does what serve_anew() does, with another scope. Throws std::invalid_argument for one that
    /// validate() finds fault with.
    void limit_to(schema::ServedScope scope);

    /// Takes in nothing more, frees what did not start, waits for the rest as `mode` says, writes
    /// the last outcomes, and ends the threads. A second call from another thread with at_once
    /// hurries a drain that is under way and returns at once. false: some handler did not end in
    /// time; its lock is left to expire, and the caller should end the process without destroying
    /// this object.
    [[nodiscard]] bool stop(StopMode mode);

    /// Call when another party has written the outcome of a run: ends the run if it is one of this
    /// executor, and counts and reports the outcome.
    void outcome_was_written(persistence::Outcome outcome);

    /// What its acquisition has seen while it was idle.
    [[nodiscard]] const LastView& last_view() const { return view_; }

    /// Whether jobs are taken in: after start() and before stop().
    [[nodiscard]] bool is_running() const { return accepting_; }

    /// What this node does now.
    [[nodiscard]] persistence::NodeLoad load() const;

    /// What others do for this node, and what it tells of it: jobs that external workers have
    /// ended, and what these ask for.
    [[nodiscard]] RunCounts& run_counts() { return completion_.run_counts(); }
    [[nodiscard]] ThroughputCounts& throughput() { return completion_.throughput(); }
    [[nodiscard]] AskedTopics& asked_topics() { return asked_; }
    [[nodiscard]] LastRuns& last_runs() { return last_runs_; }
    [[nodiscard]] RunNewsBook& news() { return *news_; }

    /// What became of the runs.
    [[nodiscard]] const OutcomeCounts& outcome_counts() const {
        return completion_.report().counts;
    }
    [[nodiscard]] const schema::FailureClasses& failure_classes() const {
        return completion_.report().classes;
    }

    /// How long they waited and took.
    [[nodiscard]] const RunTimes& run_times() const { return times_; }
    [[nodiscard]] ActivityTimes activity_times() const;

    [[nodiscard]] ActivityCounts activity_counts() const;

    /// Why this node does not get on, for people; empty: it does. A pass has not come back for
    /// twice the time of a lock, or jobs are held and for the time of a lease none of them has run
    /// (10 s at least). An outage of the database is none of it.
    [[nodiscard]] std::string standstill();

    /// What the database refuses of what has become of jobs.
    [[nodiscard]] RefusedNow refused() const { return completion_.refused(); }

    /// Returns how long this node's lease still holds; zero: it has expired.
    [[nodiscard]] schema::Duration lease_left() const;

    // JobIntake
    [[nodiscard]] persistence::PageLimit room() override;
    [[nodiscard]] persistence::PageLimit room_for_handoffs() override;
    [[nodiscard]] persistence::PageLimit room_for_groups() override;
    [[nodiscard]] std::optional<persistence::PageLimit> room_for_timers(std::size_t page) override;
    [[nodiscard]] std::shared_ptr<const persistence::ServedJobs> served() const override {
        return served_.now();
    }
    [[nodiscard]] persistence::PageLimit room_for_limited() override;
    [[nodiscard]] const std::string& lock_owner() const override { return settings_.lock_owner; }
    [[nodiscard]] schema::Duration lock_time() const override { return settings_.lock_time; }
    void accept(std::vector<schema::Job> jobs, schema::SteadyPoint locked_at) override;
    void in_doubt(schema::TimePoint until, schema::SteadyPoint locked_at) override {
        doubtful_.add(until, locked_at);
    }

private:
    [[nodiscard]] JobCompletion::Dependencies needs_of_completion();
    [[nodiscard]] NodePresence::Dependencies needs_of_presence();
    void add_own_activities();
    void add_second_loops();
    [[nodiscard]] persistence::PageLimit room_to_claim(std::size_t page);
    [[nodiscard]] bool does_acquisition_decide() const;
    std::size_t run(const HeldJobPtr& held);
    [[nodiscard]] std::optional<persistence::Outcome> run_one(const HeldJobPtr& held);
    [[nodiscard]] HeldJobPtr next_in_chain(
        const HeldJob& first,
        const HeldJobPtr& former,
        const persistence::Outcome& outcome
    );
    void on_committed(HeldJob& held);
    void on_async_end(const HeldJobPtr& held, const HandlerResult& result);
    void on_outcome(const HeldJobPtr& held, persistence::Outcome outcome);
    [[nodiscard]] JobRunner::Answer run_in_place(const HeldJobPtr& held);
    void start(std::vector<HeldJobPtr> jobs);
    void on_gone(std::span<const schema::Job* const> jobs);
    void free_the_rest();
    void pass_the_rest_on();
    void write_throughput();
    [[nodiscard]] bool is_taking() const;
    [[nodiscard]] persistence::NodeWork work();
    void leave_out(std::set<std::string> types);
    void what_is_served_changed();
    void tell(std::string_view what, const std::function<void()>& news);
    [[nodiscard]] bool wait_for_running_jobs();
    [[nodiscard]] bool have_runs_ended(schema::Duration limit);
    void log_stop(bool all_ended);

    // Constant after start(), or thread-safe. The activities outlive the threads that run them.
    const ExecutorSettings settings_;
    const Dependencies use_;
    ServedHere served_;
    LastView view_;
    HeldJobs held_;
    GroupOrder order_;
    LimitedRuns limited_;
    NodeLease lease_;
    RunTimes times_;
    Standstill standstill_;
    AskedTopics asked_;
    LastRuns last_runs_;
    const std::shared_ptr<RunNewsBook> news_;
    std::optional<RunNewsWriting> news_writing_;  ///< Likewise.
    std::optional<RunWriting> run_writing_;       ///< nullopt: nothing of them is told.
    HeldRelease release_;
    JobCompletion completion_;
    ThroughputWriting throughput_;
    AsyncRuns async_;
    JobRunner runner_;
    LockRenewal renewal_;
    LockWatch watch_;
    NodeTurns turns_of_reset_;
    ExpiredLockReset reset_;
    Leftovers leftovers_;
    DoubtfulClaims doubtful_;
    JobAcquirer acquirer_;
    NodeTurns turns_of_unserved_;
    UnservedJobs unserved_;
    DeadNodes dead_;
    NodePresence presence_;
    GroupPassing passing_;
    LimitPassing limits_;
    std::unique_ptr<ExecutorThreads> threads_;
    std::unique_ptr<JobWakeup>
        wakeup_;  ///< Needs the threads' context, and they have stopped then.
    WorkerPool pool_;
    PollingLoop& completion_loop_;
    PollingLoop& throughput_loop_;
    PollingLoop& renewal_loop_;
    PollingLoop& watch_loop_;
    PollingLoop& passing_loop_;
    PollingLoop& presence_loop_;
    PollingLoop* news_loop_ = nullptr;               ///< nullptr: nobody asks what runs tell.
    PollingLoop* completion_beside_loop_ = nullptr;  ///< nullptr: there is one writer.
    std::vector<PollingLoop*> intake_loops_;         ///< Those that bring in jobs; stopped first.

    /// Held while due timers are given back, so that no later ones pass them by.
    std::mutex timers_mutex_;

    std::atomic<bool> started_{false};
    std::atomic<bool> accepting_{false};
    std::atomic<bool> stopping_{false};
    std::atomic<bool> hurried_{false};
};

}  // namespace jobstrand::executor
