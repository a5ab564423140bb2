#include "deadletter/node_admin.hpp"

#include <algorithm>

namespace jobstrand::deadletter {

using persistence::Node;

void NodeAdmin::set_state(
    const std::vector<std::string>& nodes,
    persistence::NodeState state,
    const BulkWatch& watch
) {
    for (const std::string& node : nodes) {
        const bool is_there = store_.set_node_state(node, state);
        if (watch.on_item) {
            watch.on_item(
                {.id = node, .answer = is_there ? ItemAnswer::done : ItemAnswer::not_found}
            );
        }
    }
}

std::vector<Node> NodeAdmin::busy(std::span<const Node> drained) {
    std::vector<Node> living = store_.nodes();
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
