#pragma once

#include "persistence/rows/store_context.hpp"
#include "persistence/timer_store.hpp"
#include "schema/time.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>

/// What the timer mover does with jobs; see TimerStore for what is promised.
namespace jobstrand::persistence {

[[nodiscard]] std::optional<schema::TimePoint> next_due(
    const StoreContext& context,
    const ServedJobs& served,
    std::optional<schema::TimePoint> from
);

[[nodiscard]] std::optional<schema::TimePoint> next_due_of_others(
    const StoreContext& context,
    const ServedJobs& served,
    std::optional<schema::TimePoint> from,
    schema::TimePoint until
);

[[nodiscard]] DueTimers move_due_timers(
    const StoreContext& context,
    DueWindow window,
    PageLimit limit,
    const std::optional<LockClaim>& claim,
    const ServedJobs& served
);

}  // namespace jobstrand::persistence
