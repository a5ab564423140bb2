#pragma once

#include "tools/service/api/api_parts.hpp"
#include "tools/service/http/router.hpp"
#include "tools/service/http/work_pool.hpp"

#include <vector>

namespace jobstrand::service {

/// Flowable's management REST (`/process-api/management/...`) with its bodies and status codes, for
/// pages and scripts that use it. Where Flowable takes more than was meant, an empty list of ids as
/// all dead letters, this refuses.
[[nodiscard]] std::vector<Route> management_routes(const ApiParts& api, WorkPool& pool);

}  // namespace jobstrand::service
