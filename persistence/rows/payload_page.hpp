#pragma once

#include "persistence/sql/transaction.hpp"
#include "schema/job.hpp"

#include <cstddef>
#include <vector>

namespace jobstrand::persistence {

/// Leaves the last jobs out whose payloads are too much for one page; the first one always stays.
/// Returns whether any is left out.
bool cut_to_bytes(Transaction& transaction, std::vector<schema::Job>& jobs, std::size_t most_bytes);

}  // namespace jobstrand::persistence
