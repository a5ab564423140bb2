#pragma once

#include "deadletter/causes/cause_tally.hpp"
#include "persistence/operator_store.hpp"

#include <cstddef>

namespace jobstrand::deadletter {

/// Of the latest `most` dead letters those that a filter matches, by cause. Throws DbError.
[[nodiscard]] CauseSummary latest_causes(
    persistence::OperatorStore& store,
    std::size_t most,
    persistence::JobFilter filter = {}
);

}  // namespace jobstrand::deadletter
