#pragma once

#include "deadletter/bulk_change.hpp"
#include "persistence/node_store.hpp"
#include "schema/job.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace jobstrand::deadletter {

/// What an operator does with nodes.
///
/// Thread safety: as that of the store, which must outlive it. All of it throws DbError.
class NodeAdmin final {
public:
    explicit NodeAdmin(persistence::NodeStore& store) : store_(store) {}

    /// Lists the nodes that are not lost, by name.
    [[nodiscard]] std::vector<persistence::Node> list() { return store_.nodes(); }

    /// Lost within the last day, the latest first.
    [[nodiscard]] std::vector<persistence::Node> lost(schema::TimePoint now) {
        return store_.lost_nodes(now);
    }

    /// The nodes end what they hold and take nothing more, until they are resumed. They hear of it
    /// within a third of their lease time.
    void drain(const std::vector<std::string>& nodes, const BulkWatch& watch) {
        set_state(nodes, persistence::NodeState::draining, watch);
    }

    /// The nodes take jobs again.
    void resume(const std::vector<std::string>& nodes, const BulkWatch& watch) {
        set_state(nodes, persistence::NodeState::running, watch);
    }

    /// Since when a node has been running the job; nullopt: none does, or not for longer than a
    /// third of its lease.
    [[nodiscard]] std::optional<schema::TimePoint> running_since(const schema::Job& job) {
        return job.lock_owner.empty() ? std::nullopt
                                      : store_.running_since(job.lock_owner, job.id, job.revision);
    }

    /// How many runs have ended in the last minute, by handler type, as the living nodes told when
    /// they last renewed their leases.
    [[nodiscard]] std::vector<persistence::TypeRuns> runs_of_last_minute(schema::TimePoint now) {
        return store_.runs_of_last_minute(now);
    }

    /// Returns those of `drained` (as list() gave them when the drain began) that still hold jobs,
    /// or have not reported since then that they hold none.
    [[nodiscard]] std::vector<persistence::Node> busy(std::span<const persistence::Node> drained);

private:
    void set_state(
        const std::vector<std::string>& nodes,
        persistence::NodeState state,
        const BulkWatch& watch
    ) {
        const auto set_one = [&](const std::string& node) {
            return store_.set_node_state(node, state);
        };
        change_those_there(nodes, set_one, watch);
    }

    persistence::NodeStore& store_;
};

}  // namespace jobstrand::deadletter
