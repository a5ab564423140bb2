#pragma once

#include "persistence/rows/store_context.hpp"
#include "persistence/suspension.hpp"

#include <string_view>

namespace jobstrand::persistence {

/// See OperatorStore.
[[nodiscard]] bool
is_of_engine(const StoreContext& context, SuspensionScope scope, std::string_view id);

}  // namespace jobstrand::persistence
