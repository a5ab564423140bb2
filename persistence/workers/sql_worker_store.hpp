#pragma once

#include "persistence/rows/store_context.hpp"
#include "persistence/worker_store.hpp"

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

}  // namespace jobstrand::persistence
