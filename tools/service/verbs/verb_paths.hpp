#pragma once

#include "tools/service/api/api_parts.hpp"
#include "tools/service/http/message.hpp"
#include "tools/service/http/router.hpp"
#include "tools/service/http/work_pool.hpp"
#include "tools/surface/verb_call.hpp"

#include <vector>

namespace jobstrand::service {

/// The output of a verb, with its exit code in `Jobstrand-Exit-Code`; a problem when nothing was
/// done: 400 for wrong usage, 404 not found, 409 refused, else 500.
[[nodiscard]] Response response_to(cli::VerbAnswer answer);

/// The verbs of `jobstrand` that their declarations allow over the network, each for who may. They
/// may take long, so the pool should be one of their own.
[[nodiscard]] std::vector<Route> verb_routes(const ApiParts& api, WorkPool& pool);

}  // namespace jobstrand::service
