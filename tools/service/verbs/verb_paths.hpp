#pragma once

#include "tools/service/api/api_parts.hpp"
#include "tools/service/http/router.hpp"
#include "tools/service/http/work_pool.hpp"

#include <vector>

namespace jobstrand::service {

/// The verbs of `jobstrand` that their declarations allow over the network, each for who may. They
/// may take long, so the pool should be one of their own.
[[nodiscard]] std::vector<Route> verb_routes(const ApiParts& api, WorkPool& pool);

}  // namespace jobstrand::service
