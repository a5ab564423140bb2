#pragma once

#include "persistence/sql/transaction.hpp"
#include "schema/job.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace jobstrand::persistence {

/// Leaves the last jobs out whose payloads are too much for one page; the first one always stays.
/// Returns whether any is left out.
bool cut_to_bytes(Transaction& transaction, std::vector<schema::Job>& jobs, std::size_t most_bytes);

/// The same for jobs that come besides those of a page, none of which has to stay.
void cut_to_bytes_left(
    Transaction& transaction,
    std::span<const schema::Job> page,
    std::vector<schema::Job>& besides,
    std::size_t most_bytes
);

}  // namespace jobstrand::persistence
