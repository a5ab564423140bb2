#pragma once

#include "deadletter/bulk_change.hpp"
#include "persistence/node_store.hpp"
#include "schema/job.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

/// What an operator does with nodes, beside what NodeStore tells. All of it throws DbError.
namespace jobstrand::deadletter {

/// Draining nodes end what they hold and take nothing more, until they are running again. They hear
/// of it within a third of their lease time.
void set_node_states(
    persistence::NodeStore& store,
    const std::vector<std::string>& nodes,
    persistence::NodeState state,
    const BulkWatch& watch
);

/// Since when a node has been running the job; nullopt: none does, or not for longer than a third
/// of its lease.
[[nodiscard]] std::optional<schema::TimePoint>
running_since(persistence::NodeStore& store, const schema::Job& job);

/// Returns those of `drained` (as they were when the drain began) that still hold jobs, or have not
/// reported since then that they hold none.
[[nodiscard]] std::vector<persistence::Node>
busy_nodes(persistence::NodeStore& store, std::span<const persistence::Node> drained);

}  // namespace jobstrand::deadletter
