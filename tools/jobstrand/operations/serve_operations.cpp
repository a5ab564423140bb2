#include "tools/jobstrand/commands/doctor/doctor.hpp"
#include "tools/jobstrand/commands/service/serve.hpp"
#include "tools/jobstrand/commands/top/top.hpp"
#include "tools/jobstrand/operations/nouns.hpp"

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

OperationNoun top_verb() {
    return {
        .operations = {writing_operation<TopOptions>(
            {.words = "top",
             .summary = "Show what goes on, again and again: rates, places, nodes, the slowest "
                        "types (q ends)",
             .examples = "  jobstrand top\n"
                         "  jobstrand top --interval 10s\n"
                         "  jobstrand top --once -o json | jq .runsLastMinute",
             .role = service::Role::read},
            {{"--once", &TopOptions::once, "Show it one time, and end"},
             {"--interval",
              &TopOptions::interval,
              "How often (default 2s)",
              {.unit = "DURATION", .may_be_empty = true}}},
            {},
            show_top
        )}};
}

OperationNoun doctor_verb() {
    return {
        .operations = {local_operation<DoctorOptions>(
            {.words = "doctor",
             .summary = "Look whether database, nodes and jobs are healthy, and say what to do "
                        "(exit code 6 if anything is wrong)",
             .examples = "  jobstrand doctor\n"
                         "  jobstrand doctor -o json | jq '.[] | select(.level == \"wrong\")'"},
            {},
            diagnose
        )}};
}

}  // namespace jobstrand::cli
