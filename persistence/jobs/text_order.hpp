#pragma once

#include "persistence/sql/transaction.hpp"
#include "schema/job.hpp"
#include "schema/time.hpp"

#include <cstddef>
#include <vector>

/// Where times are texts, a due date in another form than ours may stand earlier or later in the
/// order of the index than its time belongs. Stored in our form, it stands where it belongs.
namespace jobstrand::persistence {

/// Writes those of the timers that are due after `until`, and takes them out of the list. Returns
/// how many. The rows were read for update.
std::size_t
store_anew(Transaction& transaction, std::vector<schema::Job>& timers, schema::TimePoint until);

}  // namespace jobstrand::persistence
