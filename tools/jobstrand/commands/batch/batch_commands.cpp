#include "tools/jobstrand/commands/batch/batches.hpp"
#include "tools/jobstrand/commands/nouns.hpp"

namespace jobstrand::cli {

namespace {

using RunOfBatch = ExitCode (*)(Session&, const BatchOptions&);

void add_batch_verb(const Command& noun, Action& action, const VerbText& text, RunOfBatch run) {
    const auto [app, options] = add_verb<BatchOptions>(noun, action, text, run);
    app.add_option("id", options.id, "The batch").type_name("ID").required();
}

void add_resume(const Command& noun, Action& action) {
    const auto [app, options] = add_verb<BatchOptions>(
        noun,
        action,
        {.name = "resume",
         .summary = "Go on with one that was paused or interrupted; no job is changed twice",
         .examples = "  jobstrand batch resume 019c5e2a-8d11-7000-8000-3c8f0a6d1b52\n"
                     "  jobstrand batch resume 019c5e2a-8d11-7000-8000-3c8f0a6d1b52 --background",
         .over_network = service::Role::admin},
        resume_batch
    );
    app.add_option("id", options.id, "The batch").type_name("ID").required();
    app.add_flag("--background", options.in_background, "A node of the service does it");
}

void add_list(const Command& noun, Action& action) {
    const auto [app, options] = add_verb<BatchListOptions>(
        noun,
        action,
        {.name = "ls",
         .summary = "List bulk operations and how far they have come, the latest first",
         .examples = "  jobstrand batch ls\n"
                     "  jobstrand batch ls --limit 5 -o json",
         .over_network = service::Role::read},
        list_batches
    );
    app.add_option("--limit", options.limit, "At most so many").type_name("N");
    app.add_option("--after", options.after, "Go on behind this batch").type_name("ID");
}

void add_remove(const Command& noun, Action& action) {
    const auto [app, options] = add_verb<BatchRemoveOptions>(
        noun,
        action,
        {.name = "rm",
         .summary = "Forget bulk operations that are not running; the jobs stay as they are",
         .examples = "  jobstrand batch rm 019c5e2a-8d11-7000-8000-3c8f0a6d1b52",
         .over_network = service::Role::admin},
        remove_batches
    );
    app.add_option("ids", options.ids, "The batches").type_name("ID").required();
}

}  // namespace

void add_batch_commands(const Command& program, Action& action) {
    const Command noun = program.add_noun(
        "batch",
        "Bulk operations on many jobs, which are written down and can be gone on with",
        "  jobstrand batch ls\n"
        "  jobstrand batch resume 019c5e2a-8d11-7000-8000-3c8f0a6d1b52"
    );
    add_list(noun, action);
    add_batch_verb(
        noun,
        action,
        {.name = "show",
         .summary = "Show one bulk operation: what it does, and how far it has come",
         .examples = "  jobstrand batch show 019c5e2a-8d11-7000-8000-3c8f0a6d1b52",
         .over_network = service::Role::read},
        show_batch
    );
    add_batch_verb(
        noun,
        action,
        {.name = "pause",
         .summary = "Stop a bulk operation behind the page that is being done",
         .examples = "  jobstrand batch pause 019c5e2a-8d11-7000-8000-3c8f0a6d1b52",
         .over_network = service::Role::admin},
        pause_batch
    );
    add_resume(noun, action);
    add_batch_verb(
        noun,
        action,
        {.name = "cancel",
         .summary = "End one for good; what is done stays done",
         .examples = "  jobstrand batch cancel 019c5e2a-8d11-7000-8000-3c8f0a6d1b52",
         .over_network = service::Role::admin},
        cancel_batch
    );
    add_remove(noun, action);
}

}  // namespace jobstrand::cli
