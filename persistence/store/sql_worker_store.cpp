#include "persistence/store/sql_store.hpp"
#include "persistence/workers/worker_moves.hpp"

// What SqlStore forwards for external workers.
namespace jobstrand::persistence {

using schema::Job;
using schema::TimePoint;

std::vector<Job> SqlStore::acquire_external(
    const LockClaim& claim,
    const WantedJobs& wanted,
    PageLimit limit,
    TimePoint now
) {
    return persistence::acquire_external(context_, claim, wanted, limit, now);
}

std::vector<WorkerAnswer> SqlStore::apply_external(
    std::string_view worker,
    std::span<const WorkerOutcome> outcomes,
    TimePoint now
) {
    return persistence::apply_external(context_, worker, outcomes, now);
}

bool SqlStore::take_back(const LockClaim& claim, std::string_view id, TimePoint now) {
    return persistence::take_back(context_, claim, id, now);
}

std::vector<WorkerAnswer>
SqlStore::extend_external(const LockClaim& claim, std::span<const HeldJob> jobs, TimePoint now) {
    return persistence::extend_external(context_, claim, jobs, now);
}

std::vector<WorkerAnswer>
SqlStore::release_external(std::string_view worker, std::span<const HeldJob> jobs, TimePoint now) {
    return persistence::release_external(context_, worker, jobs, now);
}

std::int64_t SqlStore::release_all_external(
    std::string_view worker,
    const std::optional<std::string_view>& tenant,
    TimePoint now
) {
    return persistence::release_all_external(context_, worker, tenant, now);
}

}  // namespace jobstrand::persistence
