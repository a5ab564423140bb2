#pragma once

#include "persistence/claims/claim_text.hpp"
#include "persistence/rows/job_row.hpp"
#include "persistence/served_jobs.hpp"
#include "persistence/sql/sql_transaction.hpp"

#include <cstddef>
#include <string_view>

/// Which free executable jobs an acquisition takes next. They are read for update; those that
/// another node is claiming right now are passed over, so that two nodes do not wait for each
/// other.
namespace jobstrand::persistence {

/// In the order of the primary key, which is the cheap one, behind `after` and, if it is not empty,
/// before `before`.
[[nodiscard]] JobRows oldest_candidates(
    Transaction& transaction,
    const ServedJobs& served,
    std::size_t limit,
    std::string_view after,
    std::string_view before
);

// The same without locks: the gate keeps others from claiming them by the page.

[[nodiscard]] JobRows oldest_rows(
    Transaction& transaction,
    const ServedJobs& served,
    std::size_t limit,
    std::string_view after,
    std::string_view before
);

/// From the start, but for these. Fewer than `limit`: there are no more.
[[nodiscard]] JobRows oldest_rows_beside(
    Transaction& transaction,
    const ServedJobs& served,
    std::size_t limit,
    const ClaimedJobs& claimed
);

}  // namespace jobstrand::persistence
