#include "tools/jobstrand/commands/listing.hpp"
#include "tools/jobstrand/commands/node/nodes.hpp"
#include "tools/jobstrand/output/time_field.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace jobstrand::cli {

namespace {

using persistence::Node;

const std::vector<TableColumn>& node_columns() {
    static const std::vector<TableColumn> columns{
        {.field = "node", .heading = "NODE", .width_max = 64},
        {.field = "state", .heading = "STATE"},
        {.field = "running", .heading = "RUNNING"},
        {.field = "workers", .heading = "WORKERS", .rank = 2},
        {.field = "held", .heading = "HELD", .rank = 1},
        {.field = "started", .heading = "STARTED", .rank = 3},
        {.field = "leaseUntil", .heading = "LEASE ENDS", .rank = 4},
        {.field = "host", .heading = "HOST", .rank = 6},
        {.field = "process", .heading = "PROCESS", .rank = 7},
        {.field = "version", .heading = "VERSION", .rank = 8},
        {.field = "handlerTypes",
         .heading = "SERVES",
         .width_max = 80,
         .rank = 5,
         .width_least = 16},
    };
    return columns;
}

[[nodiscard]] RecordField types_field(const std::vector<std::string>& types) {
    std::vector<std::string> texts;
    for (const std::string& type : types) {
        texts.push_back(text_field("", type).json);
    }
    return {
        .name = "handlerTypes",
        .json = fmt::format("[{}]", fmt::join(texts, ",")),
        .text = fmt::format("{}", fmt::join(types, " "))};
}

[[nodiscard]] RecordField count_field(std::string_view name, std::size_t count) {
    return number_field(name, static_cast<std::int64_t>(count));
}

[[nodiscard]] Record record_of(const Node& node) {
    return {
        text_field("node", node.identity.node),
        text_field("state", name_of(node.state)),
        count_field("running", node.load.running),
        count_field("workers", node.load.workers),
        count_field("held", node.load.held),
        time_field("started", node.started),
        time_field("leaseUntil", node.lease_until),
        text_field("host", node.identity.host),
        number_field("process", node.identity.process),
        text_field("version", node.identity.version),
        types_field(node.handler_types),
    };
}

}  // namespace

ExitCode list_nodes(Session& session, const NodeListOptions& /*options*/) {
    RecordWriter writer(session.streams().out, session.format(), node_columns(), session.style());
    for (const Node& node : session.nodes().list()) {
        writer.add(record_of(node));
    }
    writer.finish();
    return ExitCode::done;
}

}  // namespace jobstrand::cli
