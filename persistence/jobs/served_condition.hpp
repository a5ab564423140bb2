#pragma once

#include "persistence/served_jobs.hpp"
#include "persistence/sql/id_lists.hpp"

/// The rows of jobs that a node takes, in SQL. Each text borrows from what is served.
namespace jobstrand::persistence {

/// Rows that are served. Precondition: some handler type is.
[[nodiscard]] BoundStatement condition_of(const ServedJobs& served);

/// Rows of timers that are not, or that are for external workers. What they need has not been read
/// yet, so it does not count. Precondition: some handler type is served.
[[nodiscard]] BoundStatement condition_of_others(const ServedJobs& served);

}  // namespace jobstrand::persistence
