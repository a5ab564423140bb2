#include "deadletter/node_admin.hpp"
#include "tools/operations/nouns.hpp"
#include "tools/records/stats_json.hpp"
#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <span>
#include <thread>

namespace jobstrand::cli {

namespace {

using persistence::Node;

/// How often it is looked whether a node is done; it tells others less often.
constexpr std::chrono::milliseconds kLook{200};

struct NodeNames {
    std::vector<std::string> nodes;
    bool waits = false;  ///< Of drain: until they hold no job any more.
};

[[nodiscard]] std::string why_no_node(const deadletter::ItemResult& item) {
    return fmt::format(
        "there is no living node {}: `jobstrand node ls` lists them", quoted_if_needed(item.id)
    );
}

[[nodiscard]] std::vector<Node>
named(std::vector<Node> nodes, const std::vector<std::string>& names) {
    std::erase_if(nodes, [&](const Node& node) {
        return std::ranges::find(names, node.identity.node) == names.end();
    });
    return nodes;
}

void wait_until_idle(Session& session, std::span<const Node> drained) {
    while (!deadletter::busy_nodes(session.nodes(), drained).empty()) {
        std::this_thread::sleep_for(kLook);
    }
}

[[nodiscard]] std::vector<Node> list_nodes(Session& session, const NoParameters&) {
    std::vector<Node> nodes = session.nodes().nodes();
    const std::vector<Node> lost = session.nodes().lost_nodes(session.database_now());
    nodes.insert(nodes.end(), lost.begin(), lost.end());
    return nodes;
}

[[nodiscard]] ExitCode drain_nodes(Session& session, const NodeNames& wanted) {
    if (wanted.waits) {
        session.refuse_to_wait("--wait", "look at `jobstrand node ls`");
    }
    const std::vector<Node> before = named(session.nodes().nodes(), wanted.nodes);
    ItemReport report(
        session, {.done = wanted.waits ? "drained" : "draining", .why_not = why_no_node}
    );
    std::vector<deadletter::ItemResult> told;
    const auto tell = [&](const deadletter::ItemResult& item) { told.push_back(item); };
    deadletter::set_node_states(
        session.nodes(), wanted.nodes, persistence::NodeState::draining, {.on_item = tell}
    );
    if (wanted.waits) {
        wait_until_idle(session, before);
    }
    std::ranges::for_each(told, [&](const deadletter::ItemResult& item) { report.add(item); });
    return report.finish();
}

void resume_nodes(Session& session, const NodeNames& wanted, const deadletter::BulkWatch& watch) {
    deadletter::set_node_states(
        session.nodes(), wanted.nodes, persistence::NodeState::running, watch
    );
}

[[nodiscard]] Parameters<NodeNames> node_names() {
    return {
        {"nodes",
         &NodeNames::nodes,
         "Their names as in `node ls`; - reads them from stdin",
         {.unit = "NODE", .is_required = true}},
    };
}

[[nodiscard]] Parameters<NodeNames> draining() {
    return joined(
        node_names(),
        {{"--wait",
          &NodeNames::waits,
          "Come back when they hold no job any more",
          {.is_for_terminal = true}}}
    );
}

}  // namespace

OperationNoun node_noun() {
    return {
        .name = "node",
        .summary = "Nodes: the processes that run jobs",
        .examples =
            "  jobstrand node ls\n"
            "  jobstrand node drain node-1 --wait\n"
            "  jobstrand node resume node-1",
        .operations =
            {
                list_operation<NoParameters>(
                    {.words = "node ls",
                     .summary = "List the nodes that live, and what they do",
                     .examples = "  jobstrand node ls\n"
                                 "  jobstrand node ls -o json",
                     .role = service::Role::read,
                     .path = "GET /api/v1/nodes"},
                    {},
                    node_fields(),
                    list_nodes
                ),
                writing_operation(
                    {.words = "node drain",
                     .summary =
                         "Let nodes end what they hold and take nothing more, before a maintenance",
                     .examples = "  jobstrand node drain node-1 --wait\n"
                                 "  jobstrand node ls -o name | jobstrand node drain -",
                     .path = "POST /api/v1/nodes/{node}/drain"},
                    draining(),
                    described_items("id"),
                    drain_nodes
                ),
                items_operation(
                    {.words = "node resume",
                     .summary = "Let drained nodes take jobs again",
                     .examples = "  jobstrand node resume node-1",
                     .path = "POST /api/v1/nodes/{node}/resume"},
                    node_names(),
                    {.done = "resumed", .why_not = why_no_node},
                    resume_nodes
                ),
            },
    };
}

}  // namespace jobstrand::cli
