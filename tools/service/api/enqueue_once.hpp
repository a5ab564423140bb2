#pragma once

#include "tools/service/api/api_parts.hpp"
#include "tools/service/api/enqueue_counts.hpp"
#include "tools/service/http/work_pool.hpp"

#include <string_view>

namespace jobstrand::service {

inline constexpr std::string_view kIdempotencyKey = "Idempotency-Key";

/// Enqueues what a request with an Idempotency-Key brings, one job or many, in a transaction that
/// remembers the key for 24 hours. The same request again is answered as the first one was, and
/// adds nothing; another one with this key is 422 (the draft of the IETF for this header,
/// draft-ietf-httpapi-idempotency-key-header). What was refused is not remembered. Both must
/// outlive it.
[[nodiscard]] WorkPool::BlockingHandler enqueue_once(const ApiParts& api, EnqueueCounts& counts);

}  // namespace jobstrand::service
