#include "tools/jobstrand/commands/item_report.hpp"
#include "tools/jobstrand/commands/node/nodes.hpp"
#include "tools/jobstrand/commands/typed_ids.hpp"
#include "tools/jobstrand/output/printable.hpp"

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

[[nodiscard]] ItemReport report_of(Session& session, std::string_view done) {
    return {session, {.done = done, .why_not = [](const deadletter::ItemResult& item) {
                          return fmt::format(
                              "there is no living node {}: `jobstrand node ls` lists them",
                              quoted_if_needed(item.id)
                          );
                      }}};
}

[[nodiscard]] std::vector<Node>
named(std::vector<Node> nodes, const std::vector<std::string>& names) {
    std::erase_if(nodes, [&](const Node& node) {
        return std::ranges::find(names, node.identity.node) == names.end();
    });
    return nodes;
}

void wait_for(Session& session, std::span<const Node> drained) {
    deadletter::NodeDesk desk = session.nodes();
    while (!desk.busy(drained).empty()) {
        std::this_thread::sleep_for(kLook);
    }
}

}  // namespace

ExitCode drain_nodes(Session& session, const NodeChangeOptions& options) {
    if (options.waits) {
        session.refuse_to_wait("--wait", "look at `jobstrand node ls`");
    }
    const std::vector<std::string> names = typed_ids(session, options.nodes);
    deadletter::NodeDesk desk = session.nodes();
    const std::vector<Node> before = named(desk.list(), names);
    ItemReport report = report_of(session, options.waits ? "drained" : "draining");
    std::vector<deadletter::ItemResult> told;
    desk.drain(names, {.on_item = [&](const deadletter::ItemResult& item) {
                   told.push_back(item);
               }});
    if (options.waits) {
        wait_for(session, before);
    }
    std::ranges::for_each(told, [&](const deadletter::ItemResult& item) { report.add(item); });
    return report.finish();
}

ExitCode resume_nodes(Session& session, const NodeChangeOptions& options) {
    ItemReport report = report_of(session, "resumed");
    session.nodes().resume(typed_ids(session, options.nodes), report.watch());
    return report.finish();
}

}  // namespace jobstrand::cli
