#include "persistence/nodes/served_rows.hpp"
#include "persistence/nodes/sql_node_store.hpp"
#include "persistence/sql/connection.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace jobstrand::persistence {

namespace {

constexpr std::string_view kNodes = R"sql(
    SELECT NODE_, INCARNATION_, HOST_, PROCESS_, VERSION_, STATE_, WORKERS_, RUNNING_, HELD_,
           STARTED_, LEASE_EXP_TIME_, STANDSTILL_
    FROM JS_NODE
    WHERE STATE_ <> 'lost'
    ORDER BY NODE_)sql";

constexpr std::string_view kLost = R"sql(
    SELECT NODE_, INCARNATION_, HOST_, PROCESS_, VERSION_, STATE_, WORKERS_, RUNNING_, HELD_,
           STARTED_, LEASE_EXP_TIME_, STANDSTILL_
    FROM JS_NODE
    WHERE STATE_ = 'lost' AND LEASE_EXP_TIME_ >= ?
    ORDER BY LEASE_EXP_TIME_ DESC, NODE_)sql";

constexpr std::string_view kServed = R"sql(
    SELECT NODE_, HANDLER_TYPE_, NEEDS_
    FROM JS_SERVED
    ORDER BY NODE_, HANDLER_TYPE_, NEEDS_)sql";

constexpr std::string_view kDraining = "draining";
constexpr std::string_view kIsLost = "lost";

std::string text_in(const Row& row, std::size_t column) {
    return std::string(row.text(column));
}

std::size_t count_in(const Row& row, std::size_t column) {
    return static_cast<std::size_t>(row.integer(column));
}

Node node_in(const Row& row) {
    return {
        .identity =
            {.node = text_in(row, 0),
             .incarnation = text_in(row, 1),
             .host = text_in(row, 2),
             .process = row.integer(3),
             .version = text_in(row, 4)},
        .load =
            {.workers = count_in(row, 6), .running = count_in(row, 7), .held = count_in(row, 8)},
        .state = node_state_in(row.text(5)),
        .started = row.time(9).value_or(schema::TimePoint{}),
        .lease_until = row.time(10).value_or(schema::TimePoint{}),
        .standstill = text_in(row, 11),
    };
}

}  // namespace

std::string_view name_of(NodeState state) {
    switch (state) {
        case NodeState::draining:
            return kDraining;
        case NodeState::lost:
            return kIsLost;
        case NodeState::running:
            break;
    }
    return "running";
}

NodeState node_state_in(std::string_view text) {
    if (text == kIsLost) {
        return NodeState::lost;
    }
    return text == kDraining ? NodeState::draining : NodeState::running;
}

std::vector<Node> SqlNodeStore::lost_nodes(schema::TimePoint now) {
    const Value from{now - kLostFor};
    std::vector<Node> lost;
    context_.runner.read([&](Connection& connection) {
        lost.clear();
        connection.query({.sql = kLost, .columns = 12}, {&from, 1}, [&](const Row& row) {
            lost.push_back(node_in(row));
        });
    });
    return lost;
}

std::vector<Node> SqlNodeStore::nodes() {
    std::map<std::string, Node, std::less<>> nodes;
    context_.runner.read([&](Connection& connection) {
        nodes.clear();
        connection.query({.sql = kNodes, .columns = 12}, {}, [&](const Row& row) {
            Node node = node_in(row);
            nodes.emplace(node.identity.node, std::move(node));
        });
        connection.query({.sql = kServed, .columns = 3}, {}, [&](const Row& row) {
            if (const auto found = nodes.find(row.text(0)); found != nodes.end()) {
                const bool is_type = !row.text(1).empty();
                Node& node = found->second;
                (is_type ? node.handler_types : node.needs).emplace_back(row.text(is_type ? 1 : 2));
            }
        });
        for (auto& [name, limits] : limits_of_nodes(connection)) {
            if (const auto found = nodes.find(name); found != nodes.end()) {
                found->second.scope = std::move(limits.scope);
                found->second.fetching = limits.fetching;
            }
        }
    });
    std::vector<Node> list;
    for (auto& [name, node] : nodes) {
        std::ranges::sort(node.needs);  // Each database has an alphabet of its own.
        list.push_back(std::move(node));
    }
    return list;
}

}  // namespace jobstrand::persistence
