#pragma once

#include "tools/service/api/api_parts.hpp"
#include "tools/service/http/router.hpp"
#include "tools/service/http/work_pool.hpp"

#include <vector>

namespace jobstrand::service {

/// Flowable's external worker REST (`/external-job-api/...`) with its bodies and status codes: 204
/// done, 400 a request that cannot be meant so, 403 the worker does not hold the job, 404 no such
/// job. Its existing clients work unchanged. A topic is a handler type; the payload comes as
/// variables; and a completion with variables, an error or a termination is handed on to the app
/// (see outcome_of).
[[nodiscard]] std::vector<Route> flowable_worker_routes(const ApiParts& api, WorkPool& pool);

}  // namespace jobstrand::service
