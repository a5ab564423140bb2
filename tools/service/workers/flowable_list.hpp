#pragma once

#include "tools/service/api/api_parts.hpp"
#include "tools/service/http/message.hpp"

namespace jobstrand::service {

/// `GET /external-job-api/jobs` as Flowable answers it: jobs of the external place in the order of
/// their ids, filtered and cut by what stands behind the question mark; `total` counts all that
/// match. What Flowable knows and this does not is refused, and never left out of the filter.
[[nodiscard]] Response list_flowable_jobs(const ApiParts& api, const Request& request);

}  // namespace jobstrand::service
