#pragma once

#include "persistence/range_positions.hpp"
#include "persistence/rows/job_row.hpp"
#include "persistence/served_jobs.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "schema/acquisition_order.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

/// Which free executable jobs an acquisition in an order takes next. They are read for update from
/// ranges, each of which an index has in its order, so that nothing is sorted.
namespace jobstrand::persistence {

struct OrderedSearch {
    const ServedJobs& served;
    const schema::AcquisitionOrder& order;
    const RangePositions& behind;  ///< Each range is looked at behind its position.

    /// In strict priority order, from here down.
    std::int64_t highest = std::numeric_limits<std::int64_t>::max();
};

/// A page in order. In strict priority order it ends when it is full, after the lowest priority, or
/// after a number of priorities that bounds the transaction.
struct OrderedPage {
    JobRows rows;
    std::optional<std::int64_t> rest;  ///< The next priority to look at; nullopt: there is none.
};

/// Only with the index of the order (schema::index_of).
[[nodiscard]] OrderedPage
ordered_candidates(Transaction& transaction, const OrderedSearch& search, std::size_t limit);

}  // namespace jobstrand::persistence
