#pragma once

#include "executor/loop/wake_ups.hpp"
#include "executor/pool/held_jobs.hpp"
#include "executor/pool/run_forecast.hpp"
#include "executor/pool/run_queue.hpp"

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace jobstrand::executor {

/// The threads that run jobs, fed from one bounded queue. As in Java's pool, which the guides
/// describe: up to `core_size` threads start as jobs come, then jobs queue, and only a full queue
/// starts further threads, up to `max_size`; those end after `keep_alive` without work (R059, R162
/// to R165). A queue is full too when it holds what the threads can start soon.
///
/// Thread safety: safe. `run` must not throw and must outlive the pool.
class WorkerPool final {
public:
    struct Size {
        std::size_t core = 8;
        std::size_t max = 8;
        std::size_t queue = 4096;
        schema::Duration keep_alive{std::chrono::seconds(5)};
        schema::Duration ahead{std::chrono::milliseconds(500)};  ///< What is soon: RunForecast.
        /// Jobs that come here when those before them have ended, because each waits for one of
        /// its group. They count as queued while there is enough to start without them.
        std::function<std::size_t()> behind = [] { return std::size_t{0}; };
        RunQueue::Rules order = {};
    };

    /// Returns how many jobs it has run: this one, and what it has run behind it.
    using Run = std::function<std::size_t(const HeldJobPtr&)>;

    /// It reports room, from a worker thread, to those who have asked for it (see room_to_claim).
    WorkerPool(Size size, Run run, const WakeUps& wake_ups);

    /// Precondition: stop() has returned, or nothing was ever submitted.
    ~WorkerPool();

    WorkerPool(const WorkerPool&) = delete;
    WorkerPool& operator=(const WorkerPool&) = delete;

    /// Queues the jobs. Returns those that found no place (R156), or all after close().
    [[nodiscard]] std::vector<HeldJobPtr> submit(std::vector<HeldJobPtr> jobs);

    /// How many jobs more can be started now or soon, within the bound of the queue; another thread
    /// may bring some before you do. 0 after close().
    [[nodiscard]] std::size_t room() const;

    /// The same for who takes up to `page` jobs with each transaction: 0 while that is too few to
    /// be worth one. Then it tells (WakeUps) when it is not any more: all who have asked, once.
    [[nodiscard]] std::size_t room_to_claim(std::size_t page);

    /// Takes back what waits and will not start soon after all, the last first: every thread is
    /// busy and none has ended a run for as long as that. Others may run it.
    [[nodiscard]] std::vector<HeldJobPtr> take_surplus(schema::SteadyPoint now);

    struct Load {
        std::size_t queued = 0;
        std::size_t running = 0;
        std::size_t threads = 0;
    };
    [[nodiscard]] Load load() const;

    /// Takes no more jobs and returns those that no thread has started; running ones go on. May be
    /// called twice.
    [[nodiscard]] std::vector<HeldJobPtr> close();

    /// After close(): waits until no job is running. false: the time is over and some still are.
    [[nodiscard]] bool wait_until_done(schema::Duration limit);

    /// After close(): ends all threads; returns when the last running job is over.
    void stop();

private:
    void work();
    void run_next(std::unique_lock<std::mutex>& lock);
    void start_threads();
    void join_ended();
    [[nodiscard]] bool wait_for_job(std::unique_lock<std::mutex>& lock);
    [[nodiscard]] std::size_t soon() const;
    [[nodiscard]] std::size_t free_places() const;
    [[nodiscard]] bool is_worth_a_claim() const;

    // Constant after construction.
    const Size size_;
    const Run run_;
    const WakeUps& wake_ups_;

    // Guarded by mutex_.
    mutable std::mutex mutex_;
    std::condition_variable work_available_;
    std::condition_variable job_done_;
    RunQueue queue_;
    RunForecast forecast_;
    std::vector<std::thread> threads_;
    std::vector<std::thread::id> ended_;  ///< Of threads_, those that only wait to be joined.
    std::size_t running_ = 0;
    schema::SteadyPoint last_end_ = schema::SteadyPoint::min();  ///< Of a run, or of idleness.
    std::size_t claim_page_ = 0;  ///< The smallest page that somebody waits for; 0: nobody does.
    bool closed_ = false;
    bool stopping_ = false;
};

}  // namespace jobstrand::executor
