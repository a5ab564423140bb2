#pragma once

#include "persistence/job_filter.hpp"

#include <string>

namespace jobstrand::deadletter {

/// All dead letters of one cause that match a filter. Which they are is found by reading what the
/// filter matches.
struct CauseSelection {
    std::string cause;  ///< id_of() of it.
    persistence::JobFilter filter = {};
};

}  // namespace jobstrand::deadletter
