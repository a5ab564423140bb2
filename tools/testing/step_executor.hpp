#pragma once

#include "executor/handler_registry.hpp"
#include "executor/job_runner.hpp"
#include "executor/loop/job_intake.hpp"
#include "executor/loop/wake_ups.hpp"
#include "persistence/executor_store.hpp"
#include "persistence/timer_store.hpp"
#include "schema/clock.hpp"
#include "schema/log.hpp"
#include "schema/retry_policy.hpp"

#include <optional>
#include <string>
#include <vector>

namespace jobstrand::test_kit {

/// An executor without threads: each step runs one job in the calling thread and writes its
/// outcome. Jobs take no short way: they go through their tables, as on a busy node. Limits are not
/// asked: one job runs at a time.
///
/// Thread safety: none. Everything passed in must outlive it.
class StepExecutor final : private executor::JobIntake {
public:
    struct Dependencies {
        persistence::ExecutorStore& store;
        persistence::TimerStore& timers;
        const executor::HandlerRegistry& handlers;
        std::shared_ptr<const persistence::ServedJobs> served;
        const schema::Clock& clock;
        schema::Log& log;
        const executor::RetryRule* retry_rule = nullptr;  ///< See executor::JobRunner.
    };

    StepExecutor(const Dependencies& use, const schema::RetryPolicy& policy);

    /// Moves all timers that are due.
    void move_due_timers();

    /// A run: the job as it was acquired, and what became of it.
    struct Step {
        schema::Job job;
        schema::Transition transition;
    };

    /// Runs the oldest job that can run; nullopt: there is none.
    [[nodiscard]] std::optional<Step> run_next();

private:
    void end_group(const schema::Job& job);

    // JobIntake: nothing is handed over.
    [[nodiscard]] persistence::PageLimit room() override { return 0; }
    [[nodiscard]] persistence::PageLimit room_for_handoffs() override { return 0; }
    [[nodiscard]] persistence::PageLimit room_for_groups() override { return 0; }
    [[nodiscard]] persistence::PageLimit room_for_limited() override { return 0; }
    [[nodiscard]] std::optional<persistence::PageLimit> room_for_timers(std::size_t) override {
        return std::nullopt;
    }
    [[nodiscard]] std::shared_ptr<const persistence::ServedJobs> served() const override {
        return use_.served;
    }
    [[nodiscard]] const std::string& lock_owner() const override { return lock_owner_; }
    [[nodiscard]] schema::Duration lock_time() const override;
    void accept(std::vector<schema::Job>, schema::SteadyPoint) override {}
    void in_doubt(schema::TimePoint, schema::SteadyPoint) override {}

    const Dependencies use_;
    const std::string lock_owner_;
    const executor::JobRunner runner_;
    const executor::WakeUps nobody_sleeps_;
};

}  // namespace jobstrand::test_kit
