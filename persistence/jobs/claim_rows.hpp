#pragma once

#include "persistence/claim_request.hpp"
#include "persistence/limits/exclusive_groups.hpp"
#include "persistence/rows/new_dead_letters.hpp"
#include "persistence/rows/store_context.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "schema/job.hpp"

#include <cstddef>
#include <vector>

/// What all ways to take jobs do with the rows of a place that their transaction has read for
/// update.
namespace jobstrand::persistence {

/// Moves the jobs of suspended instances and definitions out of the way, and drops them from the
/// list. They are here because they were running, or being inserted, when the suspension began.
void move_suspended(
    Transaction& transaction,
    const StoreContext& context,
    schema::JobPlace place,
    std::vector<schema::Job>& candidates,
    DuplicateIds& duplicates
);

/// Locks them, and drops those from the list that could not be locked. Returns whether all of them
/// could.
bool claim_rows(
    Transaction& transaction,
    schema::JobPlace place,
    const LockClaim& claim,
    std::vector<schema::Job>& jobs
);

/// Ids behind the first one, up to the last one.
struct IdRange {
    std::string_view behind;
    std::string_view last;
};

/// The same for executable jobs, which the database looks for once and not one by one: all of the
/// range that are free and served. Precondition: they are these, and Dialect::writes_alone, so that
/// nobody else's come to them.
bool claim_range(
    Transaction& transaction,
    const LockClaim& claim,
    const ServedJobs& served,
    const IdRange& range,
    std::vector<schema::Job>& jobs
);

/// Call before the commit of a claim that has jobs. Throws NothingClaimed, and says so in the log,
/// when it is late.
void require_in_time(const StoreContext& context, const LockClaim& claim);

/// Whose claim takes jobs of the same instances along.
struct SameInstanceSearch {
    const StoreContext& context;
    const LockClaim& claim;
    const ServedJobs& served;
    const PageLimit& limit;
};

/// What a claim takes along.
struct SameInstanceJobs {
    std::vector<schema::Job> jobs = {};  ///< Those of each instance in the order of their ids.
    bool are_all_locked = true;          ///< No other rows were locked.
};

/// Locks, besides jobs that are claimed already, up to PageLimit::same_instance further rows:
/// exclusive jobs of the same instances, wherever they stand in the table (R087). One write then
/// takes what would else be met job by job, by other nodes too.
///
/// They are looked for only in groups that this claim has just taken: of those no other job is held
/// or waits, so what is read is taken, with rare exceptions, which stay as they are. Of each group
/// come no more than its holder may claim, and none that meets a limit: no slot is for a job that
/// stands behind another. Needs schema::kInstanceIndex.
[[nodiscard]] SameInstanceJobs find_same_instance_jobs(
    Transaction& transaction,
    const SameInstanceSearch& search,
    const JoinedGroups& joined,
    const std::vector<schema::Job>& jobs
);

/// Claims what that has found, and adds it to `jobs`. Returns how many.
std::size_t claim_same_instance_jobs(
    Transaction& transaction,
    const SameInstanceSearch& search,
    std::vector<schema::Job> found,
    std::vector<schema::Job>& jobs
);

}  // namespace jobstrand::persistence
