#include "tools/records/node_json.hpp"

#include <optional>

namespace jobstrand::cli {

namespace {

using persistence::Node;
using persistence::NodeIdentity;
using persistence::NodeLoad;

/// nullopt: the node takes all.
[[nodiscard]] std::optional<Record> scope_of(const Node& node) {
    const schema::ServedScope& scope = node.scope;
    Record fields;
    if (!scope.priorities.is_all()) {
        fields.push_back(number_field("priorityMin", scope.priorities.least));
        fields.push_back(number_field("priorityMax", scope.priorities.most));
    }
    const auto add = [&](std::string_view name, const std::vector<std::string>& values) {
        if (!values.empty()) {
            fields.push_back(texts_field(name, values));
        }
    };
    add("categories", scope.categories);
    add("tenants", scope.tenants);
    add("definitions", scope.definitions);
    return fields.empty() ? std::nullopt : std::optional(fields);
}

/// A field of a part of the node.
template <typename Part, typename Member>
[[nodiscard]] auto of_part(Part Node::*part, Member member) {
    return [part, member](const Node& node) { return node.*part.*member; };
}

}  // namespace

const Fields<Node>& node_fields() {
    static const Fields<Node> all{
        {.name = "node",
         .value = of_part(&Node::identity, &NodeIdentity::node),
         .column = {.heading = "NODE", .width_max = 64}},
        {.name = "state",
         .value = &Node::state,
         .meaning = "running, draining, or lost: its process has died",
         .column = {.heading = "STATE"}},
        {.name = "running",
         .value = of_part(&Node::load, &NodeLoad::running),
         .column = {.heading = "RUNNING"}},
        {.name = "workers",
         .value = of_part(&Node::load, &NodeLoad::workers),
         .column = {.heading = "WORKERS", .rank = 2}},
        {.name = "held",
         .value = of_part(&Node::load, &NodeLoad::held),
         .column = {.heading = "HELD", .rank = 1}},
        {.name = "started",
         .value = &Node::started,
         .column = {.heading = "STARTED", .rank = 3},
         .place = 1},
        {.name = "leaseUntil",
         .value = &Node::lease_until,
         .column = {.heading = "LEASE ENDS", .rank = 4},
         .place = 1},
        {.name = "standstill",
         .value = &Node::standstill,
         .meaning = "Why it does not get on, as it says; null: it does",
         .column =
             {.heading = "STANDS STILL", .width_max = 80, .is_optional = true, .width_least = 16},
         .is_null_if_empty = true},
        {.name = "host",
         .value = of_part(&Node::identity, &NodeIdentity::host),
         .column = {.heading = "HOST", .rank = 6},
         .place = 2},
        {.name = "process",
         .value = of_part(&Node::identity, &NodeIdentity::process),
         .column = {.heading = "PROCESS", .rank = 7},
         .place = 2},
        {.name = "version",
         .value = of_part(&Node::identity, &NodeIdentity::version),
         .column = {.heading = "VERSION", .rank = 8},
         .place = 2},
        {.name = "handlerTypes",
         .value = &Node::handler_types,
         .column = {.heading = "SERVES", .width_max = 80, .rank = 5, .width_least = 16},
         .place = 3},
        {.name = "scope", .value = scope_of, .meaning = "null: it takes all"},
        {.name = "acquiresJobs", .value = [](const Node& node) { return node.fetching.jobs; }},
        {.name = "movesTimers", .value = [](const Node& node) { return node.fetching.timers; }},
    };
    return all;
}

}  // namespace jobstrand::cli
