#pragma once

#include "persistence/job_filter.hpp"

#include <string>

namespace jobstrand::deadletter {

/// Selects the dead letters of one cause that match a filter. To find them, all that the filter
/// matches is read.
struct CauseSelection {
    std::string cause;  ///< id_of() of it.
    persistence::JobFilter filter = {};
};

}  // namespace jobstrand::deadletter
