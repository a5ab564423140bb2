#pragma once

#include "tools/service/api/api_parts.hpp"
#include "tools/service/http/router.hpp"
#include "tools/service/http/work_pool.hpp"

#include <vector>

namespace jobstrand::service {

/// The table of operations as paths, each for who may: what a path, a query or a JSON body gives is
/// what the command line takes. What changes something is audited, with the reason of the header
/// `Jobstrand-Reason`; a list that goes on says where in `Link`. As verb_routes().
[[nodiscard]] std::vector<Route> operation_routes(const ApiParts& api, WorkPool& pool);

}  // namespace jobstrand::service
