#include "tools/jobstrand/commands/nouns.hpp"
#include "tools/jobstrand/commands/service/serve.hpp"

namespace jobstrand::cli {

void add_serve_command(const Command& program, Action& action) {
    const auto [app, options] = add_verb<ServeOptions>(
        program,
        action,
        {.name = "serve",
         .summary = "Run jobs, in the foreground, until SIGTERM (a second one stops at once)",
         .examples = "  jobstrand serve --db sqlite:jobs.db\n"
                     "  jobstrand serve --config jobstrand.toml\n"
                     "  jobstrand serve --db sqlite:jobs.db --http 127.0.0.1:8080"},
        serve
    );
    app.add_flag("--no-executor", options.no_executor, "Run no jobs, only be there");
    app.add_option("--http", options.http, "Answer HTTP there, whatever httpListen says")
        .type_name("ADDRESS:PORT");
}

}  // namespace jobstrand::cli
