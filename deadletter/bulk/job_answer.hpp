#pragma once

#include "deadletter/bulk/bulk_result.hpp"
#include "persistence/job_store.hpp"

#include <string>

namespace jobstrand::deadletter {

/// What the store answered about one job, in the words of a bulk operation. Not found says where
/// the job stands instead.
[[nodiscard]] ItemResult
result_of(persistence::JobStore& store, const std::string& id, persistence::Answer answer);

}  // namespace jobstrand::deadletter
