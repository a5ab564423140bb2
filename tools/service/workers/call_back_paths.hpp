#pragma once

#include "tools/service/api/api_parts.hpp"
#include "tools/service/http/router.hpp"
#include "tools/service/http/work_pool.hpp"

#include <vector>

namespace jobstrand::service {

/// Where apps that `http` jobs have called tell later how these have ended.
[[nodiscard]] std::vector<Route> call_back_routes(const ApiParts& api, WorkPool& pool);

}  // namespace jobstrand::service
