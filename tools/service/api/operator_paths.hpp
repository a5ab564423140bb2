#pragma once

#include "tools/service/api/api_parts.hpp"
#include "tools/service/http/work_pool.hpp"

/// What the paths for operators do: each a skin over the desk that the command line uses too.
namespace jobstrand::service {

/// Jobs of a place, page by page, as `job ls -o json` prints them: `{"items":[...],"after":ID}`,
/// where `after` leads to the next page and is null on the last.
[[nodiscard]] WorkPool::BlockingHandler list_jobs(const ApiParts& api);

/// What `stats -o json` prints. Counts all jobs that the scope does not leave out; what nobody
/// serves is told only where it leaves out nothing.
[[nodiscard]] std::string stats_text(const ApiParts& api, const Scope& scope);
[[nodiscard]] WorkPool::BlockingHandler show_stats(const ApiParts& api);

/// Has the node look for jobs and timers now.
[[nodiscard]] WorkPool::BlockingHandler wake_node(const ApiParts& api);

}  // namespace jobstrand::service
