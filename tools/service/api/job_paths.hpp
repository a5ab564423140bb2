#pragma once

#include "executor/enqueue/new_job.hpp"
#include "tools/service/api/api_parts.hpp"
#include "tools/service/api/enqueue_group.hpp"
#include "tools/service/http/router.hpp"
#include "tools/service/http/work_pool.hpp"

#include <vector>

/// What the paths about jobs do.
namespace jobstrand::service {

/// A JSON object is one job; an array or JSON lines are many, all or none of which are added.
/// A single job may wait for others in `singles`, so that one transaction adds them. All outlive
/// it.
[[nodiscard]] Handler
enqueue_jobs(const ApiParts& api, WorkPool& pool, EnqueueGroup& singles, EnqueueCounts& counts);

/// Adds all of the jobs or none, in a transaction of their own.
[[nodiscard]] Response
enqueue_all(const ApiParts& api, EnqueueCounts& counts, const std::vector<executor::NewJob>& jobs);

/// A job wherever it stands, as `job show` prints it, without what needs other tables;
/// of an engine of a set with its name.
[[nodiscard]] WorkPool::BlockingHandler show_job(const ApiParts& api);

}  // namespace jobstrand::service
