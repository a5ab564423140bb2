#pragma once

#include "persistence/executor_store.hpp"
#include "persistence/rows/job_row.hpp"
#include "persistence/sql/id_lists.hpp"
#include "persistence/sql/transaction.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Which free executable jobs an acquisition takes next. They are read for update; those that
/// another node is claiming right now are passed over, so that two nodes do not wait for each
/// other.
namespace jobstrand::persistence {

/// The condition of a job that is served, with its parameters. It needs at least one type.
[[nodiscard]] BoundStatement condition_of(const ServedJobs& served);

/// In the order of the primary key, which is the cheap one, behind `after`.
[[nodiscard]] JobRows oldest_candidates(
    Transaction& transaction,
    const ServedJobs& served,
    std::size_t limit,
    std::string_view after
);

/// A page in priority order. It ends when it is full, after the lowest priority, or after a number
/// of priorities that bounds the transaction.
struct PriorityPage {
    JobRows rows;
    std::optional<std::int64_t> rest;  ///< The next priority to look at; nullopt: there is none.
};

/// Of the priorities from `highest` down, within each behind its position. Only with the index of
/// schema::kPriorityIndex.
[[nodiscard]] PriorityPage most_important_candidates(
    Transaction& transaction,
    const ServedJobs& served,
    std::size_t limit,
    const PriorityPositions& behind,
    std::int64_t highest
);

}  // namespace jobstrand::persistence
