#include "tools/jobstrand/commands/node/nodes.hpp"
#include "tools/jobstrand/commands/nouns.hpp"

namespace jobstrand::cli {

namespace {

Verb<NodeChangeOptions> add_change(
    const Command& noun,
    Action& action,
    const VerbText& text,
    ExitCode (*change)(Session&, const NodeChangeOptions&)
) {
    const Verb<NodeChangeOptions> verb = add_verb<NodeChangeOptions>(noun, action, text, change);
    const auto [app, options] = verb;
    app.add_option("nodes", options.nodes, "Their names as in `node ls`; - reads them from stdin")
        .type_name("NODE")
        .required();
    return verb;
}

}  // namespace

void add_node_commands(const Command& program, Action& action) {
    const Command noun = program.add_noun(
        "node",
        "Nodes: the processes that run jobs",
        "  jobstrand node ls\n"
        "  jobstrand node drain node-1 --wait\n"
        "  jobstrand node resume node-1"
    );
    (void)add_verb<NodeListOptions>(
        noun,
        action,
        {.name = "ls",
         .summary = "List the nodes that live, and what they do",
         .examples = "  jobstrand node ls\n"
                     "  jobstrand node ls -o json",
         .over_network = service::Role::read},
        list_nodes
    );
    const auto [drain, options] = add_change(
        noun,
        action,
        {.name = "drain",
         .summary = "Let nodes end what they hold and take nothing more, before a maintenance",
         .examples = "  jobstrand node drain node-1 --wait\n"
                     "  jobstrand node ls -o name | jobstrand node drain -",
         .over_network = service::Role::admin},
        drain_nodes
    );
    drain.add_flag("--wait", options.waits, "Come back when they hold no job any more");
    (void)add_change(
        noun,
        action,
        {.name = "resume",
         .summary = "Let drained nodes take jobs again",
         .examples = "  jobstrand node resume node-1",
         .over_network = service::Role::admin},
        resume_nodes
    );
}

}  // namespace jobstrand::cli
