#pragma once

#include "tools/service/api/routes.hpp"
#include "tools/service/http/router.hpp"
#include "tools/service/http/work_pool.hpp"

/// What the paths about jobs do.
namespace jobstrand::service {

/// A JSON object is one job; an array or JSON lines are many, all or none of which are added.
[[nodiscard]] Handler enqueue_jobs(const RouteParts& parts);

/// A job wherever it stands, as `job show` prints it, without what needs other tables.
[[nodiscard]] WorkPool::BlockingHandler show_job(const ApiParts& api);

}  // namespace jobstrand::service
