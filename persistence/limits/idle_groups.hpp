#pragma once

#include "persistence/rows/store_context.hpp"

#include <string>
#include <string_view>

namespace jobstrand::persistence {

/// See ExecutorStore.
[[nodiscard]] std::string
forget_idle_groups(const StoreContext& context, std::string_view behind, schema::TimePoint now);

}  // namespace jobstrand::persistence
