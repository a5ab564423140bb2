#pragma once

#include "schema/retry_policy.hpp"
#include "schema/time.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace jobstrand::executor {

/// Every knob of an executor. The defaults are chosen for speed and safety; tools/engine maps the
/// names of Flowable and Camunda onto these fields and has their classic values as presets.
struct ExecutorSettings {
    std::string
        lock_owner;  ///< Empty: a random UUID per executor (Flowable's rule). Unique per process!

    // Workers.
    std::size_t core_pool_size = 8;  ///< Threads that are started as jobs come. 1 to 1,000.
    std::size_t max_pool_size =
        8;  ///< Further threads start only when the queue is full. core to 1,000.
    schema::Duration keep_alive{
        std::chrono::seconds(5)};   ///< Idle life of threads above core. >= 0.
    std::size_t queue_size = 2048;  ///< Acquired jobs that wait for a thread. 1 to 100,000.

    // Acquisition.
    std::size_t acquire_page =
        512;  ///< Jobs per acquisition. 1 to 1,000 (limits::kJobsPerTransaction).
    schema::Duration acquire_wait{
        std::chrono::milliseconds(200)};  ///< Between idle polls. 1 ms to 1 h.
    schema::Duration queue_full_wait{
        std::chrono::seconds(5)};    ///< Longest wait when the queue is full. >= 0.
    bool acquire_async_jobs = true;  ///< false: this node runs only what is handed to it.
    bool acquire_timers = true;
    bool reset_expired_jobs = true;

    // Timers.
    std::size_t timer_page = 512;  ///< 1 to 1,000.
    schema::Duration timer_wait{
        std::chrono::seconds(1)};  ///< Timers of other processes are seen within it.

    // Locks.
    schema::Duration lock_time{
        std::chrono::seconds(30)};  ///< Renewed every third of it. 100 ms to 24 h.
    schema::Duration reset_interval{std::chrono::seconds(10)};  ///< 10 ms to 1 h.
    std::size_t reset_page = 500;                               ///< 1 to 1,000.

    // Stopping.
    schema::Duration shutdown_wait{std::chrono::seconds(60)};  ///< For running jobs. 0 to 24 h.

    schema::RetryPolicy retry;
};

/// What is wrong, one sentence per mistake that names the field and the legal range; empty:
/// nothing.
[[nodiscard]] std::vector<std::string> validate(const ExecutorSettings& settings);

}  // namespace jobstrand::executor
