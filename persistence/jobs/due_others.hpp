#pragma once

#include "persistence/served_jobs.hpp"
#include "persistence/sql/id_lists.hpp"

namespace jobstrand::persistence {

/// The condition of a timer that is not served, with its parameters: it is of another type or
/// priority, or for external workers. What jobs need is not asked. It needs at least one type.
[[nodiscard]] BoundStatement condition_of_others(const ServedJobs& served);

}  // namespace jobstrand::persistence
