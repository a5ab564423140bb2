#include "tools/jobstrand/commands/nouns.hpp"
#include "tools/jobstrand/commands/top/top.hpp"

namespace jobstrand::cli {

void add_top_command(const Command& program, Action& action) {
    const auto [app, options] = add_verb<TopOptions>(
        program,
        action,
        {.name = "top",
         .summary = "Show what goes on, again and again: rates, places, nodes, the slowest types "
                    "(q ends)",
         .examples = "  jobstrand top\n"
                     "  jobstrand top --interval 10s\n"
                     "  jobstrand top --once -o json | jq .runsLastMinute",
         .over_network = service::Role::read},
        show_top
    );
    app.add_flag("--once", options.once, "Show it one time, and end");
    app.add_option("--interval", options.interval, "How often (default 2s)").type_name("DURATION");
}

}  // namespace jobstrand::cli
