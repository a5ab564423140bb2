#pragma once

#include "persistence/lock_claim.hpp"
#include "persistence/rows/store_context.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "schema/exclusive_group.hpp"
#include "schema/job.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace jobstrand::persistence {

/// What became of the exclusive jobs of a claim.
struct JoinedGroups {
    std::size_t waiting = 0;  ///< How many left the list and wait.

    /// The first of the jobs that stay free, because others are changing their groups at this
    /// moment; empty: there is none.
    std::string first_left = {};

    /// Groups that nobody held, so that no job of them was held or waited, and how many jobs the
    /// claim has of each now.
    std::map<std::string, std::int64_t, std::less<>> taken = {};
};

/// What every claim asks before it locks jobs: only the holder of a group has exclusive jobs of it.
/// Takes the groups of the exclusive ones among `jobs`, free executable jobs that this transaction
/// has read for update. Those of which another owner holds the group, or of which the claim's owner
/// has enough, leave the list and wait (see waiting_jobs.hpp). Those of which another transaction
/// is changing the group leave it too, and stay as they are. Of jobs without a group nothing is
/// asked or written.
///
/// Waits for other claims of this process that are about the same groups (see GroupTurns).
///
/// Throws DbError `conflict` when it cannot be decided at this moment: then the whole transaction
/// is to be run again.
JoinedGroups join_groups(
    Transaction& transaction,
    const StoreContext& context,
    const LockClaim& claim,
    std::vector<schema::Job>& jobs
);

/// The same for one job alone: false when anybody holds its group. It does not wait then.
[[nodiscard]] bool join_group_alone(
    Transaction& transaction,
    const LockClaim& claim,
    schema::ExclusiveOver over,
    const schema::Job& job
);

}  // namespace jobstrand::persistence
