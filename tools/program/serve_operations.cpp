#include "tools/operations/nouns.hpp"
#include "tools/program/demo.hpp"
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

OperationNoun demo_verb() {
    return {
        .operations = {local_operation<DemoOptions>(
            {.words = "demo",
             .summary = "Show the page of a shop's jobs, on a temporary database, until Ctrl-C",
             .examples = "  jobstrand demo\n"
                         "  jobstrand demo --http 127.0.0.1:8080 --no-browser"},
            {{"--http",
              &DemoOptions::http,
              "Where the page is [a free port of 127.0.0.1]",
              {.unit = "ADDRESS:PORT", .may_be_empty = true}},
             {"--no-browser", &DemoOptions::no_browser, "Only print the address"}},
            demo
        )}};
}

}  // namespace jobstrand::cli
