#pragma once

#include "tools/service/api/api_parts.hpp"
#include "tools/service/api/change_feed.hpp"
#include "tools/service/api/enqueue_group.hpp"
#include "tools/service/api/readiness.hpp"
#include "tools/service/http/gate.hpp"
#include "tools/service/http/http_counts.hpp"
#include "tools/service/http/router.hpp"
#include "tools/service/http/shared_answers.hpp"
#include "tools/service/http/work_pool.hpp"
#include "tools/service/metrics/backlog.hpp"
#include "tools/service/workers/work_waits.hpp"

#include <vector>

namespace jobstrand::service {

/// What the handlers run on and work with. It outlives the routes.
struct RouteParts {
    ApiParts& api;
    Gate& gate;
    Readiness& readiness;
    WorkPool& pool;
    EnqueueGroup& singles;
    EnqueueCounts& counts;
    const HttpCounts& http;
    WorkWaits& waits;
    WorkPool& verbs;  ///< For what may take long.
    ChangeFeed& feed;
    SharedAnswers& shared;
    Backlog& backlog;
};

/// Every path of the service: the table that docs/http.md and the OpenAPI description tell.
[[nodiscard]] std::vector<Route> all_routes(const RouteParts& parts);

}  // namespace jobstrand::service
