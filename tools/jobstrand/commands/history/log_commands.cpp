#include "tools/jobstrand/commands/bulk_options.hpp"
#include "tools/jobstrand/commands/history/job_log.hpp"
#include "tools/jobstrand/commands/nouns.hpp"

namespace jobstrand::cli {

namespace {

void add_log_list(const Command& noun, Action& action) {
    const auto [app, options] = add_verb<LogListOptions>(
        noun,
        action,
        {.name = "ls",
         .summary = "List what happened to jobs, the latest first",
         .examples = "  jobstrand log ls --since 1h\n"
                     "  jobstrand log ls --job 019c5e2a-8d11-7000-8000-3c8f0a6d1b52\n"
                     "  jobstrand log ls --type send-invoice --event failed -o jsonl",
         .over_network = service::Role::read},
        list_log
    );
    app.add_option("--job", options.job, "Only of this job").type_name("ID");
    app.add_option("--type,--handler", options.type, "Only of this handler type").type_name("TEXT");
    app.add_option("--definition", options.definition, "Only of this definition").type_name("ID");
    app.add_option("--instance", options.instance, "Only of this instance").type_name("ID");
    app.add_option("--element", options.element, "Only of this element").type_name("ID");
    app.add_option("--tenant", options.tenant, "Only of this tenant").type_name("TEXT");
    app.add_option("--node", options.node, "Only by this lock owner").type_name("NAME");
    app.add_option(
           "--event",
           options.events,
           "Only these, several with commas: created, failed, succeeded, deleted, dead, requeued"
    )
        .type_name("EVENTS");
    app.add_option("--why", options.reason, "Only for this reason, such as retries_exhausted")
        .type_name("WORD");
    app.add_option("--since", options.since, "From this time on").type_name("DATE");
    app.add_option("--until", options.until, "Before this time").type_name("DATE");
    add_page_options(app, options.limit, options.after);
}

}  // namespace

void add_log_commands(const Command& program, Action& action) {
    const Command noun = program.add_noun(
        "log",
        "What happened to jobs: each attempt that failed, deaths, removals; successes too if asked",
        "  jobstrand log ls --since 1h\n"
        "  jobstrand log rm --before 30d"
    );
    add_log_list(noun, action);
    const auto [show, shown] = add_verb<LogShowOptions>(
        noun,
        action,
        {.name = "show",
         .summary = "Show a line with the end of its stack trace or output",
         .examples = "  jobstrand log show 019c5e2a-8d11-7000-8000-3c8f0a6d1b52",
         .over_network = service::Role::read},
        show_log_line
    );
    show.add_option("id", shown.id, "The line, as `log ls -o json` shows it").required();
    const auto [rm, removed] = add_verb<LogRemoveOptions>(
        noun,
        action,
        {.name = "rm",
         .summary = "Forget what is older than a time",
         .examples = "  jobstrand log rm --before 2025-01-01\n"
                     "  jobstrand log rm --before 30d",
         .over_network = service::Role::admin},
        remove_log
    );
    rm.add_option("--before", removed.before, "What is older is removed")
        .type_name("DATE")
        .required();
}

}  // namespace jobstrand::cli
