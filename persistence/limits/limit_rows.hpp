#pragma once

#include "persistence/limit_store.hpp"
#include "persistence/rows/store_context.hpp"

#include <string_view>
#include <vector>

/// See LimitStore.
namespace jobstrand::persistence {

[[nodiscard]] std::vector<schema::JobLimit> all_limits(const StoreContext& context);

void set_limit(const StoreContext& context, const schema::JobLimit& limit);

[[nodiscard]] bool remove_limit(const StoreContext& context, const schema::JobLimit& limit);

[[nodiscard]] std::vector<GroupUse> group_uses(const StoreContext& context);

[[nodiscard]] GroupRuns runs_of_group(const StoreContext& context, std::string_view group);

/// From here on the store goes by the limits that are set now. Returns whether there are any.
bool refresh_limits(const StoreContext& context);

}  // namespace jobstrand::persistence
