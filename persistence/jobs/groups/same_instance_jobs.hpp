#pragma once

#include "persistence/exclusive/join_groups.hpp"
#include "persistence/page_limit.hpp"
#include "persistence/rows/store_context.hpp"
#include "persistence/served_jobs.hpp"

#include <cstddef>
#include <vector>

namespace jobstrand::persistence {

/// Whose claim takes jobs of the same instances along.
struct SameInstanceSearch {
    const StoreContext& context;
    const LockClaim& claim;
    const ServedJobs& served;
    const PageLimit& limit;
};

/// Claims, besides jobs that are claimed already, up to PageLimit::same_instance further ones:
/// exclusive jobs of the same instances, wherever they stand in the table (R087). One write then
/// takes what would else be met job by job, by other nodes too. They are added last, those of
/// each instance in the order of their ids. Returns how many.
///
/// They are looked for only in groups that this claim has just taken: of those no other job is held
/// or waits, so what is read is taken, with rare exceptions, which stay as they are. Of each group
/// come no more than its holder may claim, and none that meets a limit: no slot is for a job that
/// stands behind another. Needs schema::kInstanceIndex.
std::size_t add_same_instance_jobs(
    Transaction& transaction,
    const SameInstanceSearch& search,
    const JoinedGroups& joined,
    std::vector<schema::Job>& jobs
);

}  // namespace jobstrand::persistence
