#pragma once

#include "deadletter/causes/cause_tally.hpp"
#include "persistence/operator_store.hpp"

#include <cstddef>

namespace jobstrand::deadletter {

/// The latest `most` dead letters by cause. Throws DbError.
[[nodiscard]] CauseSummary latest_causes(persistence::OperatorStore& store, std::size_t most);

}  // namespace jobstrand::deadletter
