#pragma once

#include "persistence/node_store.hpp"
#include "schema/clock.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace jobstrand::executor {

/// Shares work that any node can do for all, such as looking for expired locks. The first living
/// node by name does it at each of its turns, the next one at every second, the one behind that at
/// every third, and from the thirtieth on each at every thirtieth. So a thousand nodes together do
/// it 36 times as often as one; and where the nodes before fail at it, or do not do it at all
/// (ExecutorSettings::reset_expired_jobs), the next one does, thirty turns later at most.
///
/// Thread safety: none.
class NodeTurns final {
public:
    NodeTurns(persistence::NodeStore& nodes, const schema::Clock& clock, std::string node)
        : nodes_(nodes), clock_(clock), node_(std::move(node)) {}

    /// Asked once for each turn. Costs a short statement.
    [[nodiscard]] bool is_mine() {
        share_ = std::min(kMostTurns, 1 + nodes_.living_before(node_, clock_.now()));
        if (++waited_ < share_) {
            return false;
        }
        waited_ = 0;
        return true;
    }

    /// How many turns there are to one of this node, as the last question has found it.
    [[nodiscard]] std::int64_t share() const { return share_; }

private:
    static constexpr std::int64_t kMostTurns = 30;

    persistence::NodeStore& nodes_;
    const schema::Clock& clock_;
    const std::string node_;
    std::int64_t share_ = 1;
    std::int64_t waited_ = 0;
};

}  // namespace jobstrand::executor
