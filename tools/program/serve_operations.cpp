#include "tools/operations/nouns.hpp"
#include "tools/program/serve.hpp"

namespace jobstrand::cli {

OperationNoun serve_verb() {
    return {
        .operations = {local_operation<ServeOptions>(
            {.words = "serve",
             .summary = "Run jobs, in the foreground, until SIGTERM (a second one stops at once)",
             .examples = "  jobstrand serve --db sqlite:jobs.db\n"
                         "  jobstrand serve --config jobstrand.toml\n"
                         "  jobstrand serve --db sqlite:jobs.db --http 127.0.0.1:8080"},
            {{"--no-executor", &ServeOptions::no_executor, "Run no jobs, only be there"},
             {"--http",
              &ServeOptions::http,
              "Answer HTTP there, whatever httpListen says",
              {.unit = "ADDRESS:PORT", .may_be_empty = true}}},
            serve
        )}};
}

}  // namespace jobstrand::cli
