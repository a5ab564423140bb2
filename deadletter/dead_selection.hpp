#pragma once

#include "deadletter/bulk/job_selection.hpp"
#include "deadletter/causes/cause_selection.hpp"

#include <variant>

namespace jobstrand::deadletter {

/// Which dead letters an operation means: these, all that match a filter, or all of one cause.
using DeadSelection = std::variant<JobSelection, CauseSelection>;

}  // namespace jobstrand::deadletter
