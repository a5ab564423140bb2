#pragma once

#include "deadletter/bulk/bulk_result.hpp"
#include "persistence/operator_store.hpp"

#include <string>

namespace jobstrand::deadletter {

/// What the store answered about one job, in the words of a bulk operation. Not found says where
/// the job stands instead.
[[nodiscard]] ItemResult
result_of(persistence::OperatorStore& store, const std::string& id, persistence::JobAnswer answer);

/// What only a Flowable engine may do.
[[nodiscard]] ItemResult refused_as_of_engine(const std::string& id);

}  // namespace jobstrand::deadletter
