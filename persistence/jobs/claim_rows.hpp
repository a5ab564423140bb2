#pragma once

#include "persistence/lock_claim.hpp"
#include "persistence/rows/duplicate_ids.hpp"
#include "persistence/rows/store_context.hpp"
#include "persistence/served_jobs.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "schema/job.hpp"

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

}  // namespace jobstrand::persistence
