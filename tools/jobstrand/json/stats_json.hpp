#pragma once

#include "deadletter/desk/job_search.hpp"
#include "persistence/served_store.hpp"
#include "tools/jobstrand/output/record.hpp"

#include <vector>

namespace jobstrand::cli {

/// The statistics as one object: `places`, `locked`, `unserved`.
[[nodiscard]] Record record_of(
    const std::vector<deadletter::PlaceCount>& counts,
    const std::vector<persistence::UnservedJobs>& unserved
);

}  // namespace jobstrand::cli
