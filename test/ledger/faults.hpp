#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace jobstrand::test {

/// What is done to a cluster from outside.
enum class FaultKind {
    kill_node,
    freeze_node,  ///< For three lease times.
    jump_clock,   ///< Of a node, which has one of its own beside a server's.
    kill_database,
    cut_connections,  ///< All of them, by the database.
};

struct Fault {
    FaultKind kind = FaultKind::kill_node;
    std::size_t node = 0;

    bool operator==(const Fault&) const = default;
};

/// A script of faults with so many SIGKILLs for `nodes` nodes, and for the database where it is a
/// server. The same seed gives the same script.
[[nodiscard]] std::vector<Fault>
script_of(std::uint64_t seed, std::size_t kills, std::size_t nodes, bool has_server);

}  // namespace jobstrand::test
