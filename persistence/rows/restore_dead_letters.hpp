#pragma once

#include "persistence/operator_store.hpp"
#include "persistence/rows/store_context.hpp"

#include <span>
#include <vector>

namespace jobstrand::persistence {

/// See OperatorStore::restore for what is promised.
[[nodiscard]] std::vector<bool>
restore_dead_letters(const StoreContext& context, std::span<const DeadLetterCopy> copies);

}  // namespace jobstrand::persistence
