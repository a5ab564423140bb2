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

/// Leaves time to others during a long operation: after each of its transactions it waits four
/// times as long as that took, and 5 s at most. So it takes a fifth of what a busy database can do,
/// and other jobs keep the rest of their rate; a database that has nothing else to do is not asked
/// to hurry.
///
/// Thread safety: none. The clock must outlive it.
class BulkRest final {
public:
    /// Waits for so long; tests turn their clock instead.
    using Wait = std::function<void(schema::Duration)>;

    BulkRest(const schema::Clock& clock, Wait wait);

    /// After a transaction, when another one follows.
    void take();

private:
    const schema::Clock& clock_;
    const Wait wait_;
    schema::SteadyPoint began_;  ///< The transaction that is under way.
};

}  // namespace jobstrand::deadletter
