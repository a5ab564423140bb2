#include "tools/jobstrand/commands/listing.hpp"
#include "tools/jobstrand/commands/node/nodes.hpp"
#include "tools/jobstrand/json/node_json.hpp"

namespace jobstrand::cli {

namespace {

const std::vector<TableColumn>& node_columns() {
    static const std::vector<TableColumn> columns{
        {.field = "node", .heading = "NODE", .width_max = 64},
        {.field = "state", .heading = "STATE"},
        {.field = "running", .heading = "RUNNING"},
        {.field = "workers", .heading = "WORKERS", .rank = 2},
        {.field = "held", .heading = "HELD", .rank = 1},
        {.field = "standstill",
         .heading = "STANDS STILL",
         .width_max = 80,
         .is_optional = true,
         .width_least = 16},
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

}  // namespace

ExitCode list_nodes(Session& session, const NodeListOptions& /*options*/) {
    RecordWriter writer(session.streams().out, session.format(), node_columns(), session.style());
    for (const persistence::Node& node : session.nodes().list()) {
        writer.add(record_of(node));
    }
    for (const persistence::Node& node : session.nodes().lost(session.database_now())) {
        writer.add(record_of(node));
    }
    writer.finish();
    return ExitCode::done;
}

}  // namespace jobstrand::cli
