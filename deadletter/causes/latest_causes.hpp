#pragma once

#include "deadletter/causes/cause_tally.hpp"
#include "persistence/operator_store.hpp"

#include <cstddef>

namespace jobstrand::deadletter {

/// Groups by cause those of the latest `most` dead letters that the filter matches. Throws DbError.
[[nodiscard]] CauseSummary latest_causes(
    persistence::OperatorStore& store,
    std::size_t most,
    persistence::JobFilter filter = {}
);

}  // namespace jobstrand::deadletter
