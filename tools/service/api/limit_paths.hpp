#pragma once

#include "tools/service/api/api_parts.hpp"
#include "tools/service/http/router.hpp"
#include "tools/service/http/work_pool.hpp"

#include <vector>

namespace jobstrand::service {

/// The limits of how many jobs run and start, as the verbs of `jobstrand limit`.
[[nodiscard]] std::vector<Route> limit_routes(const ApiParts& api, WorkPool& pool);

}  // namespace jobstrand::service
