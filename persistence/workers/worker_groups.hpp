#pragma once

#include "persistence/lock_claim.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "schema/exclusive_group.hpp"
#include "schema/job.hpp"
#include "schema/time.hpp"

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

/// The groups of exclusive jobs that workers hold: a worker has one job of a group at a time, and
/// its lock on the group ends with the one on the job. What others meet of the group waits: jobs of
/// nodes as for any holder, external jobs where they stand.
namespace jobstrand::persistence {

/// Takes the groups of exclusive jobs that this transaction has read for update. Those whose group
/// anybody holds, and all but the first of each group, leave the list. Returns how many. Throws
/// DbError `conflict` when it cannot be decided at this moment: the transaction is to be run again.
std::size_t take_free_groups(
    Transaction& transaction,
    const LockClaim& claim,
    schema::ExclusiveOver over,
    std::vector<schema::Job>& jobs
);

/// Leaves the rows whose group, if they have one, the worker holds and goes on to hold until this
/// transaction has ended.
void drop_without_group(
    Transaction& transaction,
    std::string_view worker,
    schema::ExclusiveOver over,
    schema::TimePoint now,
    std::vector<schema::Job>& rows
);

/// Prolongs the locks of the groups of jobs to that of the claim.
void extend_groups_of(
    Transaction& transaction,
    const LockClaim& claim,
    schema::ExclusiveOver over,
    std::span<const schema::Job> rows
);

/// Ends the locks of the groups of jobs that are held no more: reset_expired_groups() frees what
/// has waited for them. Returns whether there are any.
bool end_groups_of(
    Transaction& transaction,
    std::string_view worker,
    schema::ExclusiveOver over,
    schema::TimePoint now,
    std::span<const schema::Job> rows
);

}  // namespace jobstrand::persistence
