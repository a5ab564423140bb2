#pragma once

#include "executor/enqueue/new_job.hpp"
#include "tools/service/api/api_parts.hpp"
#include "tools/service/api/job_requests.hpp"
#include "tools/service/http/router.hpp"
#include "tools/service/http/work_pool.hpp"

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace jobstrand::service {

/// Enqueues single jobs of many requests in one transaction (group commit): while one is being
/// committed, those of the next gather. So the batch grows by itself under load, and a lonely job
/// waits for nobody. Each is answered after its commit; one that cannot be enqueued fails alone.
///
/// Thread safety: safe.
class EnqueueGroup final {
public:
    /// Requests that may wait; more are answered 503.
    static constexpr std::size_t kWaiting = 10'000;

    /// Jobs of one transaction.
    static constexpr std::size_t kBatch = 500;

    /// Starts its thread. The parts must outlive it.
    explicit EnqueueGroup(const ApiParts& parts);
    ~EnqueueGroup();

    EnqueueGroup(const EnqueueGroup&) = delete;
    EnqueueGroup& operator=(const EnqueueGroup&) = delete;

    /// The body of the request is one job.
    void add(Request request, Answer answer);

    /// Ends what has begun, and forgets what waits: its answers are never given.
    void stop();

private:
    struct Waiting {
        std::string body;
        std::string traceparent;  ///< See JobReader::read().
        Scope scope;
        Answer answer;
    };
    struct Item {
        executor::NewJob job;
        Answer answer;
    };

    void run();
    [[nodiscard]] std::vector<Waiting> next_batch();
    void enqueue(std::vector<Waiting> batch);
    void store(std::vector<Item> items);
    void store_one(const Item& item);

    const ApiParts& parts_;

    // Guarded by mutex_.
    std::mutex mutex_;
    std::condition_variable news_;
    std::vector<Waiting> waiting_;
    bool is_stopping_ = false;

    std::thread thread_;
};

inline constexpr std::string_view kIdempotencyKey = "Idempotency-Key";

/// What is enqueued, and how that is told.
struct Order {
    std::vector<executor::NewJob> jobs;
    bool is_single = false;
    std::string part = {};  ///< Which of the request's jobs these are; empty: all.
};

/// Enqueues what a request with an Idempotency-Key brings, all of its jobs or those of one engine
/// of a set, in a transaction that remembers the key for 24 hours. The same request again is
/// answered as the first one was, and adds nothing; another one with this key is 422 (the draft of
/// the IETF for this header, draft-ietf-httpapi-idempotency-key-header). What was refused is not
/// remembered.
[[nodiscard]] Response enqueue_once(const ApiParts& api, const Order& order, const Request& http);

/// What is wrong with the key of a request that has one; empty: nothing.
[[nodiscard]] std::string_view mistake_in_key(const Request& request);

// What the paths about jobs do.

/// A JSON object is one job; an array or JSON lines are many, all or none of which are added.
/// A single job may wait for others in `singles`, so that one transaction adds them. All outlive
/// it.
[[nodiscard]] Handler enqueue_jobs(const ApiParts& api, WorkPool& pool, EnqueueGroup& singles);

/// Adds all of the jobs or none, in a transaction of their own.
[[nodiscard]] Response enqueue_all(const ApiParts& api, const std::vector<executor::NewJob>& jobs);

/// A job wherever it stands, as `job show` prints it, without what needs other tables;
/// of an engine of a set with its name.
[[nodiscard]] Response show_job(const ApiParts& api, const Request& request);

}  // namespace jobstrand::service
