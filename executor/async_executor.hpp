#pragma once

#include "executor/executor_settings.hpp"
#include "executor/handler_registry.hpp"
#include "executor/loop/job_intake.hpp"
#include "executor/worker_pool.hpp"
#include "persistence/executor_store.hpp"
#include "persistence/sql/job_listener.hpp"
#include "schema/clock.hpp"
#include "schema/log.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace jobstrand::executor {

class Activity;
class ExecutorMachinery;

/// How an executor ends.
enum class StopMode {
    drain,    ///< Running jobs may finish within shutdown_wait; queued ones are freed for other
              ///< nodes.
    at_once,  ///< Running handlers are told to stop as well.
};

/// The face of the executor: start, stop, wake up, take in jobs. It owns the worker pool, the
/// control threads and the loops (one strand each for acquisition, completion, lock renewal,
/// expired-lock reset, and each added activity), and contains no rules.
///
/// Nothing runs until start() (R004). start() and stop() may each be called once, stop() also
/// before start(); when stop() has returned true, no handler is running and every lock that this
/// executor held is released.
///
/// Thread safety: safe, except that add_activity() comes before start(). Everything passed in must
/// outlive it.
class AsyncExecutor final : public JobIntake {
public:
    struct Dependencies {
        persistence::ExecutorStore& store;
        const HandlerRegistry& handlers;
        const schema::Clock& clock;
        schema::Log& log;
    };

    /// Throws std::invalid_argument for settings that validate() finds fault with.
    AsyncExecutor(Dependencies dependencies, ExecutorSettings settings);
    ~AsyncExecutor() override;

    /// Gives another activity (the timer mover) a strand of its own. Returns the function that
    /// wakes its loop, which may be called as long as this object lives. The activity must outlive
    /// this object.
    std::function<void()> add_activity(Activity& activity);

    /// Hears of jobs that other processes enqueue and calls `wake_up` then, which must not block.
    /// Before start().
    void listen(persistence::OpenListener open, std::function<void()> wake_up);

    /// Told the earliest due date of the retries that a pass of the completion stored as timers.
    /// Before start(); called from a control thread.
    void on_timer_stored(std::function<void(schema::TimePoint)> tell);

    void start();

    /// Takes in nothing more, frees what did not start, waits for the rest as `mode` says, writes
    /// the last outcomes, and ends the threads. A second call from another thread with at_once
    /// hurries a drain that is under way and returns at once. false: some handler did not end in
    /// time; its lock is left to expire, and the caller should end the process without destroying
    /// this object.
    [[nodiscard]] bool stop(StopMode mode);

    /// Whether jobs are taken in: after start() and before stop().
    [[nodiscard]] bool is_running() const;

    /// Whether this node runs jobs of this type now: it is started and knows the type (I7).
    [[nodiscard]] bool serves(const std::string& handler_type) const;

    [[nodiscard]] WorkerPool::Load load() const;

    // JobIntake
    [[nodiscard]] std::size_t room() const override;
    [[nodiscard]] std::size_t room_for_handoffs() const override;
    void wake() override;
    [[nodiscard]] const std::string& lock_owner() const override;
    [[nodiscard]] schema::Duration lock_time() const override;
    void accept(std::vector<schema::Job> jobs, schema::SteadyPoint locked_at) override;

private:
    const std::unique_ptr<ExecutorMachinery> machinery_;  ///< The threads and loops.
};

}  // namespace jobstrand::executor
