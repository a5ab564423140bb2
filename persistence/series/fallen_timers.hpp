#pragma once

#include "persistence/rows/store_context.hpp"
#include "persistence/series/series_turns.hpp"
#include "persistence/sql/transaction.hpp"
#include "schema/job.hpp"

#include <vector>

namespace jobstrand::persistence {

/// Due timers by what becomes of them.
struct FallenTimers {
    std::vector<schema::PlacedJob> leaving;  ///< Each as it will stand in its new place.
    std::vector<schema::Job> staying;        ///< With a later due date.
    std::vector<schema::Job> over;           ///< Deleted.
};

/// Decides about timers that are due and whose rows are locked; the series of those that repeat go
/// on.
[[nodiscard]] FallenTimers fall_due(
    Transaction& transaction,
    const StoreContext& context,
    std::vector<schema::Job> rows,
    schema::TimePoint now
);

/// Writes those that stay and deletes those that are over.
void write_rest(Transaction& transaction, FallenTimers& fallen);

}  // namespace jobstrand::persistence
