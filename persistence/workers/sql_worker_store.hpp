#pragma once

#include "persistence/claim_request.hpp"
#include "persistence/rows/store_context.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "persistence/worker_store.hpp"
#include "schema/concurrency.hpp"
#include "schema/job.hpp"
#include "schema/time.hpp"

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

/// The context must outlive it.
class SqlWorkerStore final : public WorkerStore {
public:
    explicit SqlWorkerStore(const StoreContext& context) : context_(context) {}

    [[nodiscard]] std::vector<schema::Job> acquire_external(
        const LockClaim& claim,
        const WantedJobs& wanted,
        PageLimit limit,
        schema::TimePoint now
    ) override;
    [[nodiscard]] std::vector<WorkerAnswer> apply_external(
        std::string_view worker,
        std::span<const WorkerOutcome> outcomes,
        schema::TimePoint now
    ) override;
    [[nodiscard]] bool take_back(const LockClaim& claim, std::string_view id, schema::TimePoint now)
        override;
    [[nodiscard]] std::vector<WorkerAnswer> extend_external(
        const LockClaim& claim,
        std::span<const HeldJob> jobs,
        schema::TimePoint now
    ) override;
    [[nodiscard]] std::vector<WorkerAnswer> release_external(
        std::string_view worker,
        std::span<const HeldJob> jobs,
        schema::TimePoint now
    ) override;
    std::int64_t release_all_external(
        std::string_view worker,
        const std::optional<std::string_view>& tenant,
        schema::TimePoint now
    ) override;

private:
    const StoreContext& context_;
};

// The groups of exclusive jobs that workers hold: a worker has one job of a group at a time, and
// its lock on the group ends with the one on the job. What others meet of the group waits: jobs of
// nodes as for any holder, external jobs where they stand.

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
