#pragma once

#include "executor/expired_lock_reset.hpp"
#include "executor/held_locks.hpp"
#include "executor/job_acquirer.hpp"
#include "executor/job_completion.hpp"
#include "executor/job_handler.hpp"
#include "executor/job_passing.hpp"
#include "executor/job_runner.hpp"
#include "executor/node_presence.hpp"
#include "executor/pool/group_order.hpp"
#include "test/simulation/memory_store.hpp"

#include <array>
#include <deque>
#include <string>
#include <vector>

namespace jobstrand::test {

/// The parts of an executor without its threads: whoever owns it decides which of them does a pass,
/// and when a worker takes the next job. It wires them as AsyncExecutor does.
///
/// Thread safety: none.
class SimulatedNode final : public executor::JobIntake {
public:
    struct Settings {
        std::size_t queue = 4;
        bool instances_together = false;
        schema::Duration lock_time{std::chrono::seconds(3)};
        schema::Duration lease{std::chrono::seconds(1)};
    };

    /// The handlers are called with what run_next() was called for.
    SimulatedNode(
        std::string name,
        Settings settings,
        MemoryStore& store,
        const executor::HandlerRegistry& handlers,
        const schema::Clock& clock
    );

    /// Whether some activity is to do a pass now, and which is drawn from `draw`; it does one.
    /// false: there is none.
    bool run_due_activity(std::size_t draw);
    /// When the next one is to do a pass.
    [[nodiscard]] schema::SteadyPoint next_pass() const;

    [[nodiscard]] bool has_queued() const { return !queue_.empty(); }
    /// A worker runs the next job of the queue. What came of it is dropped if the node is dead
    /// then.
    void run_next();

    /// It does nothing more.
    void die() { is_dead_ = true; }
    [[nodiscard]] bool is_dead() const { return is_dead_; }

    // JobIntake
    [[nodiscard]] persistence::PageLimit room() override;
    [[nodiscard]] persistence::PageLimit room_for_handoffs() override { return 0; }
    [[nodiscard]] persistence::PageLimit room_for_groups() override { return room(); }
    [[nodiscard]] persistence::PageLimit room_for_limited() override { return 0; }
    [[nodiscard]] std::optional<persistence::PageLimit> room_for_timers(std::size_t) override {
        return 0;
    }
    [[nodiscard]] std::shared_ptr<const persistence::ServedJobs> served() const override {
        return served_;
    }
    [[nodiscard]] const std::string& lock_owner() const override { return name_; }
    [[nodiscard]] schema::Duration lock_time() const override { return settings_.lock_time; }
    void accept(std::vector<schema::Job> jobs, schema::SteadyPoint locked_at) override;
    void in_doubt(schema::TimePoint, schema::SteadyPoint) override {}

private:
    struct Loop {
        executor::Activity* activity;
        schema::SteadyPoint next = schema::SteadyPoint::min();
    };

    [[nodiscard]] std::vector<executor::HeldJobPtr> submit(std::vector<executor::HeldJobPtr> jobs);
    void release(std::vector<executor::HeldJobPtr> jobs);
    void on_gone(std::span<const schema::Job* const> jobs);
    [[nodiscard]] executor::HeldJobPtr
    next_in_chain(const executor::HeldJobPtr& former, const persistence::Outcome& outcome);
    void pass(Loop& loop);
    void wake(executor::Activity& activity);

    const std::string name_;
    const Settings settings_;
    const executor::ExecutorSettings executor_settings_;
    MemoryStore& store_;
    const schema::Clock& clock_;
    const std::shared_ptr<const persistence::ServedJobs> served_;
    schema::SilentLog log_;
    executor::WakeUps wake_ups_;
    executor::HeldJobs held_;
    executor::GroupOrder order_;
    executor::NodeLease lease_;
    executor::JobRunner runner_;
    executor::JobCompletion completion_;
    executor::LockRenewal renewal_;
    executor::LockWatch watch_;
    executor::ExpiredLockReset reset_;
    executor::JobAcquirer acquirer_;
    executor::DeadNodes dead_;
    executor::NodePresence presence_;
    executor::GroupPassing passing_;
    std::array<Loop, 8> loops_;
    std::deque<executor::HeldJobPtr> queue_;
    bool is_dead_ = false;
};

}  // namespace jobstrand::test
