#pragma once

#include "executor/workers/worker_broker.hpp"
#include "schema/job.hpp"
#include "tools/access/access_rights.hpp"
#include "tools/service/api/api_parts.hpp"
#include "tools/service/http/message.hpp"
#include "tools/service/http/work_pool.hpp"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace jobstrand::service {

/// The order as the scope leaves it. Throws OutOfScope, which names what it is not for, when a
/// topic or the tenant is left out.
[[nodiscard]] executor::AcquireOrder within(const Scope& scope, executor::AcquireOrder order);

/// What external workers do, as the scope of their token leaves it: see executor::WorkerBroker. A
/// job that is left out is not found.
///
/// Thread safety: safe. Both must outlive it.
class NarrowedWorkers final {
public:
    NarrowedWorkers(const ApiParts& api, const Scope& scope) : api_(api), scope_(scope) {}

    [[nodiscard]] std::vector<schema::Job> acquire(executor::AcquireOrder order) const {
        return broker().acquire(within(scope_, std::move(order)));
    }

    [[nodiscard]] std::vector<persistence::WorkerAnswer>
    finish(std::string_view worker, std::span<const executor::WorkResult> results) const;

    /// See executor::WorkerBroker.
    [[nodiscard]] bool take_back(std::string_view worker, const std::string& job) const;

    [[nodiscard]] std::vector<persistence::WorkerAnswer> extend(
        std::string_view worker,
        std::span<const persistence::HeldJob> jobs,
        schema::Duration lock
    ) const;

    /// Which of them the worker holds (`done`) and which not. Writes nothing, but what the runs of
    /// those tell is kept to be shown: see executor::RunNewsBook.
    [[nodiscard]] std::vector<persistence::WorkerAnswer> tell(
        const std::string& worker,
        std::span<const persistence::HeldJob> jobs,
        std::span<const std::optional<schema::RunNews>> news
    ) const;

    [[nodiscard]] std::vector<persistence::WorkerAnswer>
    give_back(std::string_view worker, std::span<const persistence::HeldJob> jobs) const;

    std::int64_t give_back_all(const std::string& worker, const std::optional<std::string>& tenant)
        const;

private:
    [[nodiscard]] executor::WorkerBroker& broker() const { return api_.engine.workers(); }

    const ApiParts& api_;
    const Scope& scope_;
};

/// The response, which hands jobs to a worker. What one holds that never reaches its worker,
/// because it has hung up, goes back at once: it would wait for the end of its lock, and a worker
/// that was killed while it waited for jobs would get one more. Where the service ends before that,
/// or the database is away, the lock's end remains. The parts and the pool must outlive the
/// response.
[[nodiscard]] Response handing_over(
    const ApiParts& api,
    WorkPool& pool,
    Response response,
    const std::string& worker,
    const std::vector<schema::Job>& jobs
);

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
