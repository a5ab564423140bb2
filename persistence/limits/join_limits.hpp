#pragma once

#include "persistence/lock_claim.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "schema/job.hpp"
#include "schema/limit/job_limit.hpp"

#include <cstddef>
#include <vector>

namespace jobstrand::persistence {

/// What every claim asks first: takes a slot in each group that a limit meets for those of `jobs`,
/// executable ones that this transaction has read for update and is about to lock, for which all
/// their groups have room. Of those that meet a limit it lets `most` in at most. The others leave
/// the list and wait. Returns how many. Of jobs that meet no limit nothing is asked or written.
///
/// Throws DbError `conflict`: then the whole transaction is to be run again.
std::size_t join_limits(
    Transaction& transaction,
    const LockClaim& claim,
    const schema::JobLimits& limits,
    std::size_t most,
    std::vector<schema::Job>& jobs
);

}  // namespace jobstrand::persistence
