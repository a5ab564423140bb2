#pragma once

#include "persistence/rows/store_context.hpp"

namespace jobstrand::persistence {

/// From here on the store goes by the limits that are set now. Returns whether there are any.
bool refresh_limits(const StoreContext& context);

}  // namespace jobstrand::persistence
