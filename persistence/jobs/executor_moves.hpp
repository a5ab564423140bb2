#pragma once

#include "persistence/executor_store.hpp"
#include "persistence/rows/store_context.hpp"
#include "persistence/sql/transaction.hpp"
#include "schema/job.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// What an executor does with jobs; see ExecutorStore for what is promised.
namespace jobstrand::persistence {

[[nodiscard]] bool
has_acquirable(const StoreContext& context, const ServedJobs& served, std::string_view after);

[[nodiscard]] IdleView
look_around(const StoreContext& context, const ServedJobs& served, schema::TimePoint now);

[[nodiscard]] std::vector<schema::Job> acquire(
    const StoreContext& context,
    const LockClaim& claim,
    const ServedJobs& served,
    PageLimit limit,
    std::string_view after
);

[[nodiscard]] std::vector<schema::Job> acquire_in_order(
    const StoreContext& context,
    const LockClaim& claim,
    const ServedJobs& served,
    const schema::AcquisitionOrder& order,
    PageLimit limit,
    const LanePositions& behind
);

[[nodiscard]] LimitedJobs acquire_limited(
    const StoreContext& context,
    const LockClaim& claim,
    const ServedJobs& served,
    PageLimit limit,
    std::string_view behind
);

[[nodiscard]] AcquiredJob acquire_one(
    const StoreContext& context,
    std::string_view id,
    const LockClaim& claim,
    schema::TimePoint now
);

[[nodiscard]] GroupsPassedOn pass_on_groups(
    const StoreContext& context,
    const LockClaim& claim,
    const ServedJobs& served,
    std::size_t most_bytes,
    std::span<const GroupEnd> groups
);

[[nodiscard]] std::int64_t reset_expired_groups(const StoreContext& context, schema::TimePoint now);

[[nodiscard]] std::vector<OutcomeAnswer> apply_outcomes(
    const StoreContext& context,
    std::string_view owner,
    std::span<const Outcome> outcomes
);

/// One outcome, in the caller's transaction.
[[nodiscard]] OutcomeAnswer apply_outcome(
    const StoreContext& context,
    Transaction& transaction,
    std::string_view owner,
    const Outcome& outcome
);

[[nodiscard]] bool is_held(Transaction& transaction, std::string_view owner, const Fence& fence);

[[nodiscard]] std::vector<std::string>
not_held(const StoreContext& context, std::string_view owner, std::span<const Fence> fences);

[[nodiscard]] std::vector<std::string>
extend_locks(const StoreContext& context, const LockClaim& claim, std::span<const Fence> fences);

void release_locks(
    const StoreContext& context,
    std::string_view owner,
    std::span<const Fence> fences
);

[[nodiscard]] bool count_start(
    const StoreContext& context,
    std::string_view owner,
    const Fence& fence,
    schema::TimePoint next
);

[[nodiscard]] std::vector<schema::Job>
take_up_claim(const StoreContext& context, const LockClaim& claim);

void uncount_starts(const StoreContext& context, std::span<const std::string> ids);

[[nodiscard]] LockReset
reset_expired_locks(const StoreContext& context, schema::JobPlace place, const LockSearch& search);

}  // namespace jobstrand::persistence
