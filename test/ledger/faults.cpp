#include "test/ledger/faults.hpp"

#include <random>
#include <utility>

namespace jobstrand::test {

namespace {

/// Of a hundred faults.
constexpr std::pair<FaultKind, std::uint64_t> kShares[]{
    {FaultKind::kill_database, 5},
    {FaultKind::cut_connections, 5},
    {FaultKind::jump_clock, 8},
    {FaultKind::freeze_node, 8},
    {FaultKind::kill_node, 74},
};

// Not by a distribution of the standard library, each of which draws in its own way.
FaultKind kind_of(std::uint64_t drawn) {
    for (const auto& [kind, share] : kShares) {
        if (drawn < share) {
            return kind;
        }
        drawn -= share;
    }
    return FaultKind::kill_node;
}

// Without a server the nodes' clock is the database's, and one for all.
bool is_of_server(FaultKind kind) {
    return kind == FaultKind::kill_database || kind == FaultKind::cut_connections ||
           kind == FaultKind::jump_clock;
}

}  // namespace

std::vector<Fault>
script_of(std::uint64_t seed, std::size_t kills, std::size_t nodes, bool has_server) {
    std::mt19937_64 random(seed);
    std::vector<Fault> script;
    while (kills > 0) {
        const FaultKind kind = kind_of(random() % 100);
        const std::size_t node = random() % nodes;
        if (is_of_server(kind) && !has_server) {
            continue;
        }
        kills -= kind == FaultKind::kill_node || kind == FaultKind::kill_database ? 1 : 0;
        script.push_back({.kind = kind, .node = node});
    }
    return script;
}

}  // namespace jobstrand::test
