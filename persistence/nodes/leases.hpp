#pragma once

#include "persistence/node_store.hpp"
#include "persistence/rows/store_context.hpp"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

/// See NodeStore for what is promised.
namespace jobstrand::persistence {

void register_node(
    const StoreContext& context,
    const NodeIdentity& identity,
    const ServedJobs& served,
    schema::TimePoint now,
    schema::TimePoint until
);

LeaseAnswer renew_lease(
    const StoreContext& context,
    const NodeIdentity& identity,
    const NodeLoad& load,
    schema::TimePoint until
);

void leave(const StoreContext& context, const NodeIdentity& identity);

[[nodiscard]] std::vector<std::string>
end_expired_leases(const StoreContext& context, const LeaseLook& look);

/// For how long a node that has died is remembered.
inline constexpr schema::Duration kLostFor = std::chrono::hours(24);

[[nodiscard]] std::vector<Node> list_nodes(const StoreContext& context);

[[nodiscard]] std::vector<Node> list_lost_nodes(const StoreContext& context, schema::TimePoint now);

[[nodiscard]] bool
set_node_state(const StoreContext& context, std::string_view node, NodeState state);

/// Whatever is neither `draining` nor `lost` is running.
[[nodiscard]] NodeState node_state_in(std::string_view text);

}  // namespace jobstrand::persistence
