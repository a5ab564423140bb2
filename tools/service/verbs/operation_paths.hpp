#pragma once

#include "tools/service/api/api_parts.hpp"
#include "tools/service/http/router.hpp"
#include "tools/service/http/shared_answers.hpp"
#include "tools/service/http/work_pool.hpp"

#include <vector>

namespace jobstrand::service {

/// The table of operations as paths, each for who may: what a path, a query or a JSON body gives is
/// what the command line takes. What changes something is audited, with the reason of the header
/// `Jobstrand-Reason`; a list that goes on says where in `Link`. As verb_routes().
/// Whoever looks may share what others see: see SharedAnswers.
[[nodiscard]] std::vector<Route>
operation_routes(const ApiParts& api, WorkPool& pool, SharedAnswers& shared);

}  // namespace jobstrand::service
