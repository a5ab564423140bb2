#pragma once

#include "persistence/rows/job_row.hpp"
#include "persistence/served_jobs.hpp"
#include "persistence/sql/transaction.hpp"

#include <cstddef>
#include <string_view>

/// Which free executable jobs an acquisition takes next. They are read for update; those that
/// another node is claiming right now are passed over, so that two nodes do not wait for each
/// other.
namespace jobstrand::persistence {

/// In the order of the primary key, which is the cheap one, behind `after`.
[[nodiscard]] JobRows oldest_candidates(
    Transaction& transaction,
    const ServedJobs& served,
    std::size_t limit,
    std::string_view after
);

}  // namespace jobstrand::persistence
