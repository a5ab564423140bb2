#pragma once

#include "tools/service/api/api_parts.hpp"
#include "tools/service/http/router.hpp"
#include "tools/service/http/work_pool.hpp"
#include "tools/service/workers/work_waits.hpp"

#include <vector>

namespace jobstrand::service {

/// Our own paths for external workers (`/api/v1/external-jobs/...`): several topics at once, and
/// thousands of jobs in one request, each page of which is one transaction.
[[nodiscard]] std::vector<Route> work_routes(const ApiParts& api, WorkPool& pool, WorkWaits& waits);

}  // namespace jobstrand::service
