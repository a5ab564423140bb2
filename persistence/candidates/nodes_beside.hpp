#pragma once

#include "persistence/served_jobs.hpp"
#include "persistence/sql/transaction.hpp"
#include "schema/time.hpp"

#include <cstddef>
#include <string_view>

namespace jobstrand::persistence {

/// Living nodes, besides this one, that serve one of these types.
[[nodiscard]] std::size_t count_nodes_beside(
    Transaction& transaction,
    std::string_view node,
    const ServedJobs& served,
    schema::TimePoint now
);

}  // namespace jobstrand::persistence
