#pragma once

#include "tools/service/api/api_parts.hpp"
#include "tools/service/api/enqueue_counts.hpp"
#include "tools/service/api/job_reader.hpp"
#include "tools/service/http/router.hpp"

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
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

    /// Starts its thread. Both must outlive it.
    EnqueueGroup(const ApiParts& parts, EnqueueCounts& counts);
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
    EnqueueCounts& counts_;

    // Guarded by mutex_.
    std::mutex mutex_;
    std::condition_variable news_;
    std::vector<Waiting> waiting_;
    bool is_stopping_ = false;

    std::thread thread_;
};

}  // namespace jobstrand::service
