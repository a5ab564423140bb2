#include "deadletter/node_admin.hpp"

#include <algorithm>

namespace jobstrand::deadletter {

using persistence::Node;
using persistence::NodeStore;

void set_node_states(
    NodeStore& store,
    const std::vector<std::string>& nodes,
    persistence::NodeState state,
    const BulkWatch& watch
) {
    const auto set_one = [&](const std::string& node) { return store.set_node_state(node, state); };
    change_those_there(nodes, set_one, watch);
}

std::optional<schema::TimePoint> running_since(NodeStore& store, const schema::Job& job) {
    return job.lock_owner.empty() ? std::nullopt
                                  : store.running_since(job.lock_owner, job.id, job.revision);
}

std::vector<Node> busy_nodes(NodeStore& store, std::span<const Node> drained) {
    std::vector<Node> living = store.nodes();
    std::erase_if(living, [&](const Node& node) {
        const auto before = std::ranges::find(drained, node.identity.node, [](const Node& one) {
            return one.identity.node;
        });
        if (before == drained.end() || before->identity.incarnation != node.identity.incarnation) {
            return true;
        }
        const bool has_heard = node.lease_until > before->lease_until;
        return has_heard && node.load.held == 0;
    });
    return living;
}

}  // namespace jobstrand::deadletter
