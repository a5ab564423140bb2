#pragma once

#include "persistence/rows/store_context.hpp"
#include "persistence/worker_store.hpp"
#include "schema/job.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

/// What external workers do; see WorkerStore for what is promised.
namespace jobstrand::persistence {

[[nodiscard]] std::vector<schema::Job> acquire_external(
    const StoreContext& context,
    const LockClaim& claim,
    const WantedJobs& wanted,
    PageLimit limit,
    schema::TimePoint now
);

[[nodiscard]] std::vector<WorkerAnswer> apply_external(
    const StoreContext& context,
    std::string_view worker,
    std::span<const WorkerOutcome> outcomes,
    schema::TimePoint now
);

[[nodiscard]] bool take_back(
    const StoreContext& context,
    const LockClaim& claim,
    std::string_view id,
    schema::TimePoint now
);

[[nodiscard]] std::vector<WorkerAnswer> extend_external(
    const StoreContext& context,
    const LockClaim& claim,
    std::span<const HeldJob> jobs,
    schema::TimePoint now
);

[[nodiscard]] std::vector<WorkerAnswer> release_external(
    const StoreContext& context,
    std::string_view worker,
    std::span<const HeldJob> jobs,
    schema::TimePoint now
);

std::int64_t release_all_external(
    const StoreContext& context,
    std::string_view worker,
    const std::optional<std::string_view>& tenant,
    schema::TimePoint now
);

}  // namespace jobstrand::persistence
