#pragma once

#include "persistence/rows/store_context.hpp"
#include "persistence/timer_store.hpp"

namespace jobstrand::persistence {

/// The context must outlive it.
class SqlTimerStore final : public TimerStore {
public:
    explicit SqlTimerStore(const StoreContext& context) : context_(context) {}

    [[nodiscard]] std::optional<schema::TimePoint>
    next_due(const ServedJobs& served, std::optional<schema::TimePoint> from = {}) override;
    [[nodiscard]] std::optional<schema::TimePoint> next_due_of_others(
        const ServedJobs& served,
        std::optional<schema::TimePoint> from,
        schema::TimePoint until
    ) override;
    [[nodiscard]] DueTimers move_due_timers(
        DueWindow window,
        PageLimit limit,
        const std::optional<LockClaim>& claim,
        const ServedJobs& served
    ) override;

private:
    const StoreContext& context_;
};

}  // namespace jobstrand::persistence
