#pragma once

#include "executor/cleaning.hpp"
#include "executor/expired_lock_reset.hpp"
#include "executor/held_locks.hpp"
#include "executor/job_completion.hpp"
#include "executor/job_passing.hpp"
#include "executor/job_runner.hpp"
#include "executor/loop/job_intake.hpp"
#include "executor/loop/shared_looks.hpp"
#include "executor/loop/wake_ups.hpp"
#include "executor/node_presence.hpp"
#include "executor/pool/group_order.hpp"
#include "executor/pool/held_jobs.hpp"
#include "executor/report/run_records.hpp"
#include "schema/clock.hpp"
#include "schema/log.hpp"
#include "tools/engine/wiring.hpp"
#include "tools/testing/deferred_commits.hpp"

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace jobstrand::test_kit {

/// A node without threads: the parts of an executor, wired as AsyncExecutor wires them, that do
/// what they do when whoever owns it says so. It takes one job at a time, so that what comes first
/// is decided as late as can be, runs it in the calling thread, and writes what came of it.
///
/// Thread safety: none. Everything passed in must outlive it.
class StepNode final : private executor::JobIntake {
public:
    StepNode(
        engine::Wiring& wiring,
        const schema::Clock& clock,
        schema::Log& log,
        const executor::OnRun& on_run,
        DeferredCommits& commits
    );
    ~StepNode() override { news_->close(); }

    /// A run.
    struct Step {
        std::shared_ptr<const schema::Job> job;  ///< As it was acquired.
        schema::Transition transition;
        bool is_lost = false;  ///< What came of it was not written.
        bool was_run = true;   ///< false: the job was dropped, or its run has not ended.
    };

    /// Runs the next job that can run; nullopt: there is none, or its run does not end before the
    /// node is thawed.
    [[nodiscard]] std::optional<Step> run_next();

    /// Takes up to so many jobs and runs none. Returns how many it took.
    std::size_t take(std::size_t jobs);

    /// A node that lives has renewed its lease and its locks until now, however far the clock was
    /// turned. Comes for all nodes before look_after() for any.
    void live_on();

    /// The same for a node that nobody watches: without a word to the database.
    void live_on_alone();

    /// Frees what dead nodes and expired locks have kept, and cleans up.
    void look_after();

    /// When a lease or a lock is next looked at.
    [[nodiscard]] schema::TimePoint next_look() const;

    /// When there may be something to run, after run_next() has found nothing: when a timer is due,
    /// or the rate of a limit lets a job start that it has kept waiting. nullopt: never.
    [[nodiscard]] std::optional<schema::TimePoint> next_start();

    /// Something may have happened since it last looked: it looks again before it does anything.
    void look_again() { seen_.reset(); }

    [[nodiscard]] bool is_running() const { return runs_ > 0; }

    /// It forgets what it holds, and does nothing more.
    void die();
    [[nodiscard]] bool is_dead() const { return is_dead_; }

    /// It does nothing until it is thawed. Runs under way do not end before.
    void freeze() { is_frozen_ = true; }
    [[nodiscard]] std::vector<Step> thaw();
    [[nodiscard]] bool is_alive() const { return !is_dead_ && !is_frozen_; }

private:
    struct Pass {
        executor::Activity* activity;
        schema::SteadyPoint next = schema::SteadyPoint::min();
    };

    [[nodiscard]] executor::JobRunner::Answer call_handler(const executor::HeldJobPtr& held);
    [[nodiscard]] Step run(const executor::HeldJobPtr& held);
    [[nodiscard]] Step write(persistence::Outcome outcome);
    [[nodiscard]] std::size_t page() const;
    [[nodiscard]] std::size_t left() const;
    void do_pass(Pass& pass) const;
    void look_around();
    void move_due_timers();
    void take_free();
    void take_limited();
    void on_gone(std::span<const schema::Job* const> jobs);

    // JobIntake
    [[nodiscard]] persistence::PageLimit room() override { return left(); }
    [[nodiscard]] persistence::PageLimit room_for_handoffs() override { return 0; }
    [[nodiscard]] persistence::PageLimit room_for_groups() override { return 0; }
    [[nodiscard]] persistence::PageLimit room_for_limited() override { return left(); }
    [[nodiscard]] std::optional<persistence::PageLimit> room_for_timers(std::size_t page) override;
    [[nodiscard]] std::shared_ptr<const persistence::ServedJobs> served() const override {
        return wiring_.served();
    }
    [[nodiscard]] const std::string& lock_owner() const override { return wiring_.lock_owner(); }
    [[nodiscard]] schema::Duration lock_time() const override { return settings_.lock_time; }
    void accept(std::vector<schema::Job> jobs, schema::SteadyPoint locked_at) override;
    void in_doubt(schema::TimePoint, schema::SteadyPoint) override {}

    engine::Wiring& wiring_;
    const executor::ExecutorSettings& settings_;
    persistence::ExecutorStore& store_;
    const schema::Clock& clock_;
    DeferredCommits& commits_;
    executor::WakeUps wake_ups_;  ///< Nobody sleeps.
    executor::HeldJobs held_;
    executor::GroupOrder order_;
    executor::NodeLease lease_;
    const std::shared_ptr<executor::RunNewsBook> news_;
    executor::JobCompletion completion_;
    executor::JobRunner runner_;
    executor::LockRenewal renewal_;
    executor::ExpiredLockReset reset_;
    executor::Leftovers leftovers_;
    executor::DeadNodes dead_;
    executor::NodePresence presence_;
    executor::GroupPassing passing_;
    executor::RunWriting run_writing_;
    executor::RunNewsWriting news_writing_;

    std::vector<Pass> passes_;
    schema::SteadyPoint next_presence_ = schema::SteadyPoint::min();
    std::deque<executor::HeldJobPtr> queue_;
    std::vector<persistence::Outcome> unwritten_;  ///< Of runs that ended while it was frozen.
    std::size_t most_held_ = 0;                    ///< Of the jobs that it takes now.
    std::optional<persistence::IdleView> seen_;  ///< Of the tables, which nobody has changed since.
    executor::LastView view_{wake_ups_};         ///< The same, for the timer mover.
    std::optional<schema::TimePoint> next_start_;
    bool were_there_limits_ = false;
    std::size_t runs_ = 0;  ///< Under way: a handler may run other jobs.
    bool is_dead_ = false;
    bool is_frozen_ = false;
};

}  // namespace jobstrand::test_kit
