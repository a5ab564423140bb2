#pragma once

#include "deadletter/bulk/bulk_result.hpp"
#include "schema/clock.hpp"

#include <cstdint>
#include <functional>

namespace jobstrand::deadletter {

/// How fast a bulk operation may go, so that what it sets free comes in no flood.
struct BulkPace {
    std::int64_t per_second = 0;  ///< Items, at least 1.

    /// Waits for so long; tests turn their clock instead.
    std::function<void(schema::Duration)> wait = {};
};

/// A watch that also keeps the pace: after each transaction it waits until its items may have been
/// done, beginning now. The clock must outlive it.
[[nodiscard]] BulkWatch paced(BulkWatch watch, BulkPace pace, const schema::Clock& clock);

}  // namespace jobstrand::deadletter
