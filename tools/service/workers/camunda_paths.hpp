#pragma once

#include "tools/service/api/api_parts.hpp"
#include "tools/service/http/router.hpp"
#include "tools/service/http/work_pool.hpp"
#include "tools/service/workers/work_waits.hpp"

#include <vector>

namespace jobstrand::service {

/// As much of Camunda's external task REST (`/engine-rest/external-task/...`) as its workers use,
/// with its bodies and status codes: 204 done, 400 a request that cannot be meant so or a worker
/// that does not hold the job, 404 no such job. Times are milliseconds there. What restricts a
/// fetch and is not known here is refused, and never left out.
[[nodiscard]] std::vector<Route>
camunda_worker_routes(const ApiParts& api, WorkPool& pool, WorkWaits& waits);

}  // namespace jobstrand::service
