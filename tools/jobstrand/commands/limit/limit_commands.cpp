#include "tools/jobstrand/commands/limit/limits.hpp"
#include "tools/jobstrand/commands/nouns.hpp"

namespace jobstrand::cli {

namespace {

void add_limit_set(const Command& noun, Action& action) {
    const auto [app, options] = add_verb<LimitSetOptions>(
        noun,
        action,
        {.name = "set",
         .summary = "Set a limit, or give it other numbers; nodes hear of it within seconds",
         .examples = "  jobstrand limit set type:mail --concurrent 5\n"
                     "  jobstrand limit set 'tenant:*' --concurrent 20\n"
                     "  jobstrand limit set type:report --per-node 2\n"
                     "  jobstrand limit set type:call-partner --rate 100/PT1M",
         .over_network = service::Role::admin},
        set_limit
    );
    app.add_option("name", options.name, "type, definition, tenant or category, and a value or *")
        .type_name("KIND:VALUE")
        .required();
    app.add_option("--concurrent", options.concurrent, "The most that run over all nodes")
        .type_name("N");
    app.add_option("--per-node", options.per_node, "The most that run on one node").type_name("N");
    app.add_option("--rate", options.rate, "The most that start in any stretch of time this long")
        .type_name("N/PERIOD");
}

}  // namespace

void add_limit_commands(const Command& program, Action& action) {
    const Command noun = program.add_noun(
        "limit",
        "Limits of how many jobs run at the same time, and how often they start",
        "  jobstrand limit set type:mail --concurrent 5\n"
        "  jobstrand limit ls"
    );
    (void)add_verb<LimitListOptions>(
        noun,
        action,
        {.name = "ls",
         .summary = "List the limits, and how many jobs run and wait within them",
         .examples = "  jobstrand limit ls\n"
                     "  jobstrand limit ls -o json",
         .over_network = service::Role::read},
        list_limits
    );
    add_limit_set(noun, action);
    const auto [app, options] = add_verb<LimitRemoveOptions>(
        noun,
        action,
        {.name = "rm",
         .summary = "Remove limits; what waits for them runs",
         .examples = "  jobstrand limit rm type:mail",
         .over_network = service::Role::admin},
        remove_limits
    );
    app.add_option("names", options.names, "The limits; - reads them from stdin")
        .type_name("KIND:VALUE")
        .required();
}

}  // namespace jobstrand::cli
