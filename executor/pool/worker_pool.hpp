#pragma once

#include "executor/loop/wake_ups.hpp"
#include "executor/pool/held_jobs.hpp"
#include "schema/acquisition.hpp"
#include "schema/time.hpp"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace jobstrand::executor {

/// How many jobs workers start soon, from how long the last runs have taken. Pure.
///
/// A node that holds more than that keeps jobs from nodes that are idle, and keeps an important job
/// waiting behind what it holds already; one that holds less lets its workers wait for the
/// database.
class RunForecast final {
public:
    /// `ahead`: what counts as soon.
    explicit RunForecast(schema::Duration ahead) : ahead_(ahead) {}

    void ended(std::chrono::nanoseconds run);

    /// Runs that go on have taken that long already.
    void takes_at_least(std::chrono::nanoseconds run);

    /// Whether any run has ended yet.
    [[nodiscard]] bool is_known() const { return mean_.has_value(); }

    /// Jobs that so many workers begin and end within the time ahead; 0: runs are longer than that,
    /// or nobody knows yet.
    [[nodiscard]] std::size_t starts(std::size_t workers) const;

private:
    const schema::Duration ahead_;
    std::optional<std::chrono::nanoseconds> mean_;  ///< Of the last runs, mostly.
};

/// The jobs that wait for a worker, in the order in which they start. Pure.
///
/// A job that has lost starts is suspected to end its process. One whose next lost start would be
/// its last one starts alone: while no other suspected job runs, and none starts until it has
/// ended. So a job that ends its process takes no other with it into the dead letters.
class RunQueue final {
public:
    struct Rules {
        /// As in the table; else, and where it makes no difference, as they came.
        schema::AcquisitionOrder order = {};
        /// Job::lost_starts from which a job starts alone.
        int alone_from = std::numeric_limits<int>::max();
        /// Jobs that go before all those; empty: none. They meet a limit, and while they wait
        /// nobody uses their place.
        std::function<bool(const schema::Job&)> goes_first = {};
    };

    explicit RunQueue(Rules rules) : rules_(std::move(rules)) {}

    void push(HeldJobPtr job);

    /// Whether a job may start now.
    [[nodiscard]] bool has_next() const {
        return may_start_alone() || may_start_suspected() || size_ > 0;
    }

    /// Takes the next one out. Precondition: has_next().
    [[nodiscard]] HeldJobPtr pop();

    /// A run of a job that pop() has given is over; of a suspected one, the outcome is written.
    void ended(const HeldJob& job);

    [[nodiscard]] std::size_t size() const { return size_ + suspected_.size() + alone_.size(); }

    /// Takes out so many of those that would start last, or all that are not suspected.
    [[nodiscard]] std::vector<HeldJobPtr> take_last(std::size_t count);

    /// Empties it.
    [[nodiscard]] std::vector<HeldJobPtr> take_all();

private:
    [[nodiscard]] bool starts_alone(const HeldJob& job) const {
        return job.job.lost_starts >= rules_.alone_from;
    }
    [[nodiscard]] bool may_start_alone() const {
        return !alone_.empty() && !is_one_alone_ && suspected_running_ == 0;
    }
    // Those that start alone wait for the others to end, so no further ones begin meanwhile.
    [[nodiscard]] bool may_start_suspected() const {
        return !suspected_.empty() && !is_one_alone_ && alone_.empty();
    }
    [[nodiscard]] HeldJobPtr pop_waiting();

    const Rules rules_;
    std::map<schema::OrderKey, std::deque<HeldJobPtr>> waiting_;
    std::deque<HeldJobPtr> first_;
    std::size_t size_ = 0;  ///< Of waiting_ and first_.
    std::deque<HeldJobPtr> suspected_;
    std::deque<HeldJobPtr> alone_;
    int suspected_running_ = 0;  ///< Without one that has started alone.
    bool is_one_alone_ = false;
};

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
