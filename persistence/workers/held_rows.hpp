#pragma once

#include "persistence/rows/store_context.hpp"
#include "persistence/rows/twins.hpp"
#include "persistence/sql/transaction.hpp"
#include "persistence/worker_store.hpp"
#include "schema/job.hpp"

#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

/// Whether a worker goes on to hold the jobs that it writes about.
enum class Hold { goes_on, ends };

/// Writes about rows that the worker holds, which the transaction has read for update in id order;
/// never none.
using WriteHeld =
    std::function<void(Transaction& transaction, std::vector<schema::Job> rows, Twins& twins)>;

/// Goes through the jobs that a worker says to hold, page by page; each page is a transaction.
/// Where its hold ends, so does that on the groups of exclusive ones. The answers are in the order
/// of the jobs.
[[nodiscard]] std::vector<WorkerAnswer> write_held(
    const StoreContext& context,
    std::string_view worker,
    std::span<const HeldJob> jobs,
    schema::TimePoint now,
    Hold hold,
    const WriteHeld& write
);

}  // namespace jobstrand::persistence
