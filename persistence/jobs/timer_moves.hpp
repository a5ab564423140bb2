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

[[nodiscard]] std::optional<schema::TimePoint> next_due(const StoreContext& context);

[[nodiscard]] DueTimers move_due_timers(
    const StoreContext& context,
    DueWindow window,
    std::size_t limit,
    const std::optional<LockClaim>& claim,
    std::span<const std::string> handler_types
);

}  // namespace jobstrand::persistence
