#pragma once

#include "executor/async_executor.hpp"
#include "executor/expired_lock_reset.hpp"
#include "executor/held_jobs.hpp"
#include "executor/job_acquirer.hpp"
#include "executor/job_completion.hpp"
#include "executor/job_runner.hpp"
#include "executor/job_wakeup.hpp"
#include "executor/lock_renewal.hpp"
#include "executor/loop/executor_threads.hpp"

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace jobstrand::executor {

/// The parts of an AsyncExecutor and how they hang together: what it promises is said there. Apart
/// from it, so that its header needs neither Asio nor these parts.
///
/// Thread safety: as AsyncExecutor.
class ExecutorMachinery final {
public:
    ExecutorMachinery(
        JobIntake& intake,
        AsyncExecutor::Dependencies dependencies,
        ExecutorSettings settings
    );

    /// A loop for an activity that brings in jobs. Before start().
    PollingLoop& add_intake_loop(Activity& activity);

    /// Before start().
    void listen(persistence::OpenListener open, std::function<void()> wake_up);

    void on_timer_stored(std::function<void(schema::TimePoint)> tell) {
        completion_.on_timer(std::move(tell));
    }

    void start();
    [[nodiscard]] bool stop(StopMode mode);
    void accept(std::vector<schema::Job> jobs, schema::SteadyPoint locked_at);
    void wake_acquirer();

    [[nodiscard]] bool was_stopped() const { return stopping_; }
    [[nodiscard]] bool is_accepting() const { return accepting_; }
    [[nodiscard]] bool knows(const std::string& handler_type) const;
    [[nodiscard]] const WorkerPool& pool() const { return pool_; }
    [[nodiscard]] const ExecutorSettings& settings() const { return settings_; }

private:
    void run(const HeldJobPtr& held);
    void release(const std::vector<HeldJobPtr>& jobs);
    [[nodiscard]] bool wait_for_running_jobs();
    void write_last_outcomes();

    // Constant after construction, or thread-safe. The activities outlive the threads that run
    // them.
    const ExecutorSettings settings_;
    JobIntake& intake_;
    const AsyncExecutor::Dependencies use_;
    HeldJobs held_;
    JobRunner runner_;
    JobCompletion completion_;
    LockRenewal renewal_;
    ExpiredLockReset reset_;
    std::optional<JobAcquirer> acquirer_;
    ExecutorThreads threads_;
    std::optional<JobWakeup> wakeup_;  ///< Needs the threads' context, and they have stopped then.
    WorkerPool pool_;
    PollingLoop& completion_loop_;
    PollingLoop& renewal_loop_;
    std::vector<PollingLoop*> intake_loops_;  ///< Those that bring in jobs; stopped first.

    std::atomic<PollingLoop*> acquirer_loop_{nullptr};
    std::atomic<bool> accepting_{false};
    std::atomic<bool> started_{false};
    std::atomic<bool> stopping_{false};
    std::atomic<bool> hurried_{false};
};

}  // namespace jobstrand::executor
