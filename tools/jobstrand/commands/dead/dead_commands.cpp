#include "tools/jobstrand/commands/bulk_options.hpp"
#include "tools/jobstrand/commands/dead/dead_listing.hpp"
#include "tools/jobstrand/commands/dead/dead_requeue.hpp"
#include "tools/jobstrand/commands/job/job_showing.hpp"
#include "tools/jobstrand/commands/nouns.hpp"

namespace jobstrand::cli {

namespace {

void add_ls(const Command& noun, Action& action) {
    const auto [app, options] = add_verb<DeadListOptions>(
        noun,
        action,
        {.name = "ls",
         .summary = "List dead letters, in the order in which their jobs were created",
         .examples = "  jobstrand dead ls --newest --limit 20\n"
                     "  jobstrand dead ls --message 'connection refused' --failed-after "
                     "2026-11-20T09:00Z\n"
                     "  jobstrand dead ls --type send-invoice --limit 1000 -o csv",
         .over_network = service::Role::read},
        list_dead
    );
    app.add_flag("--newest", options.newest, "Those that died last come first");
    add_list_options(app, options);
}

void add_show(const Command& noun, Action& action) {
    const auto [app, options] = add_verb<ShowOptions>(
        noun,
        action,
        {.name = "show",
         .summary = "Show a dead letter with its message and its stack trace or output",
         .examples = "  jobstrand dead show 019c5e2a-8d11-7000-8000-3c8f0a6d1b52",
         .over_network = service::Role::read},
        show_job
    );
    options.place = schema::JobPlace::dead_letter;
    app.add_option("id", options.id, "The job").required();
}

void add_requeue(const Command& noun, Action& action) {
    const auto [app, options] = add_verb<RequeueOptions>(
        noun,
        action,
        {.name = "requeue",
         .summary = "Give dead letters new attempts",
         .examples = "  jobstrand dead requeue --all --retries 1\n"
                     "  jobstrand dead requeue --type send-invoice --spread PT10M\n"
                     "  jobstrand dead requeue --message timeout --rate 50 --yes\n"
                     "  jobstrand dead requeue --message timeout --dry-run\n"
                     "  jobstrand dead ls --failed-after 2026-11-20 -o name | jobstrand dead "
                     "requeue -",
         .over_network = service::Role::admin},
        requeue_dead
    );
    app.add_option("--retries", options.retries, "New attempts (default: as for a new job)");
    add_due_options(
        app, options.due, "Not before a time, any timer text", "Not before a time from now: 10m, 2h"
    );
    add_due_context_options(app, options.due);
    app.add_option("--rate", options.rate, "Requeue so many a second at most").type_name("N");
    app.add_option("--spread", options.spread, "Spread their due dates over this time")
        .type_name("DURATION");
    add_bulk_options(app, options.bulk);
}

void add_rm(const Command& noun, Action& action) {
    const auto [app, options] = add_verb<BulkOptions>(
        noun,
        action,
        {.name = "rm",
         .summary = "Delete dead letters for good",
         .examples = "  jobstrand dead rm 019c5e2a-8d11-7000-8000-3c8f0a6d1b52\n"
                     "  jobstrand dead rm --created-before 2026-01-01 --yes",
         .over_network = service::Role::admin},
        remove_dead
    );
    add_bulk_options(app, options);
}

}  // namespace

void add_dead_commands(const Command& program, Action& action) {
    const Command noun = program.add_noun(
        "dead",
        "Dead letters: jobs that have used up their retries",
        "  jobstrand dead ls\n"
        "  jobstrand dead show 019c5e2a-8d11-7000-8000-3c8f0a6d1b52\n"
        "  jobstrand dead requeue --all --retries 1"
    );
    add_ls(noun, action);
    add_show(noun, action);
    add_requeue(noun, action);
    add_rm(noun, action);
}

}  // namespace jobstrand::cli
