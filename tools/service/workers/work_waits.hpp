#pragma once

#include "executor/workers/worker_broker.hpp"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace jobstrand::service {

/// Workers that wait for jobs (long polls). Who waits costs the database nothing: jobs that this
/// node hears of wake them, and for those of others one look a second is made for all who want the
/// same. Who has waited longest is served first.
///
/// Thread safety: safe.
class WorkWaits final {
public:
    /// Workers that may wait at once.
    static constexpr std::size_t kWaiting = 1000;

    /// The longest wait.
    static constexpr std::chrono::minutes kLongest{1};

    /// One of the two is called, once, from the thread of this object.
    struct Answer {
        std::function<void(std::vector<schema::Job>)> take;  ///< None: none came in time.
        std::function<void(const std::exception&)> fail;
    };

    /// Starts its thread. The broker must outlive it.
    explicit WorkWaits(executor::WorkerBroker& broker);
    ~WorkWaits();

    WorkWaits(const WorkWaits&) = delete;
    WorkWaits& operator=(const WorkWaits&) = delete;

    /// Takes jobs at once if there are some, and waits for them if not. false: too many wait.
    [[nodiscard]] bool add(executor::AcquireOrder order, schema::Duration wait, Answer answer);

    /// There may be jobs. It does not block.
    void news();

    /// Nobody waits any more: those who do are told that there is nothing.
    void finish();

    /// Ends what has begun, and forgets who waits: their answers are never given.
    void stop();

private:
    struct Waiting {
        executor::AcquireOrder order;
        std::chrono::steady_clock::time_point until;
        Answer answer;
        bool is_answered = false;
    };
    class Wants;

    /// What woke the thread.
    struct Turn {
        bool are_all_looked_for = false;  ///< Not only who has just come.
        bool is_last_chance = false;      ///< Nobody waits longer.
        bool is_over = false;
    };

    void run();
    [[nodiscard]] Turn next_turn();
    void serve(bool are_all_looked_for);
    [[nodiscard]] bool is_served(Waiting& one);
    void end_waits(bool are_all_over);
    void drop_answered();
    void forget(std::size_t count);

    executor::WorkerBroker& broker_;

    // Guarded by mutex_.
    std::mutex mutex_;
    std::condition_variable something_;
    std::vector<Waiting> fresh_;
    std::size_t count_ = 0;  ///< Of all who wait, the fresh ones too.
    bool has_news_ = false;
    bool is_finishing_ = false;
    bool is_stopping_ = false;

    // Of its thread only.
    std::vector<Waiting> parked_;  ///< Oldest first.
    std::size_t first_fresh_ = 0;  ///< Those from here on have just come.
    std::chrono::steady_clock::time_point next_look_ = {};

    std::thread thread_;
};

}  // namespace jobstrand::service
