#pragma once

#include "executor/enqueue/new_job.hpp"
#include "tools/service/api/api_parts.hpp"
#include "tools/service/api/enqueue_counts.hpp"
#include "tools/service/http/work_pool.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::service {

inline constexpr std::string_view kIdempotencyKey = "Idempotency-Key";

/// Enqueues what a request with an Idempotency-Key brings, one job or many, in a transaction that
/// remembers the key for 24 hours. The same request again is answered as the first one was, and
/// adds nothing; another one with this key is 422 (the draft of the IETF for this header,
/// draft-ietf-httpapi-idempotency-key-header). What was refused is not remembered. Both must
/// outlive it.
[[nodiscard]] WorkPool::BlockingHandler enqueue_once(const ApiParts& api, EnqueueCounts& counts);

/// What is enqueued, and how that is told.
struct Order {
    std::vector<executor::NewJob> jobs;
    bool is_single = false;
    std::string part = {};  ///< Which of the request's jobs these are; empty: all.
};

/// The same for jobs of the request that have been read: all of them, or those of one engine of a
/// set.
[[nodiscard]] Response
enqueue_once(const ApiParts& api, EnqueueCounts& counts, const Order& order, const Request& http);

/// What is wrong with the key of a request that has one; empty: nothing.
[[nodiscard]] std::string_view mistake_in_key(const Request& request);

}  // namespace jobstrand::service
