#include "deadletter/node_admin.hpp"

#include <algorithm>

namespace jobstrand::deadletter {

using persistence::Node;

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
