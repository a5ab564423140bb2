#include "tools/jobstrand/commands/bulk_options.hpp"
#include "tools/jobstrand/commands/dead/dead_export.hpp"
#include "tools/jobstrand/commands/dead/dead_groups.hpp"
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
         .over_network = service::Role::read,
         .honours_scope = true},
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
         .over_network = service::Role::read,
         .honours_scope = true},
        show_job
    );
    options.place = schema::JobPlace::dead_letter;
    app.add_option("id", options.id, "The job").required();
}

void add_groups(const Command& noun, Action& action) {
    const auto [app, options] = add_verb<GroupsOptions>(
        noun,
        action,
        {.name = "groups",
         .summary = "Group dead letters by what they died of, the most frequent first",
         .examples = "  jobstrand dead groups\n"
                     "  jobstrand dead groups --failed-after 1h -o json",
         .over_network = service::Role::read,
         .honours_scope = true},
        list_causes
    );
    app.add_option("--limit", options.limit, "Show at most so many groups (default 100)")
        .type_name("N");
    add_job_filter_options(app, options.filter);
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
                     "  jobstrand dead requeue --all --rate 500 --background\n"
                     "  jobstrand dead requeue --group 365d5653fd0c --probe --spread PT10M\n"
                     "  jobstrand dead requeue 019c5e2a-8d11-7000-8000-3c8f0a6d1b52 --payload "
                     "@mended.json\n"
                     "  jobstrand dead requeue --message timeout --dry-run\n"
                     "  jobstrand dead ls --failed-after 2026-11-20 -o name | jobstrand dead "
                     "requeue -",
         .over_network = service::Role::admin,
         .honours_scope = true},
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
    app.add_flag("--probe", options.probe, "One first; the others when it has succeeded");
    app.add_option("--probe-wait", options.probe_wait, "How long the first may take (default 5m)")
        .type_name("DURATION");
    app.add_option(
           "--payload",
           options.payload,
           "Another payload of one job: JSON, or @FILE, or - for stdin"
    )
        .type_name("JSON");
    add_group_option(app, options.bulk.group);
    add_bulk_options(app, options.bulk);
    add_background_flag(app, options.bulk);
}

void add_rm(const Command& noun, Action& action) {
    const auto [app, options] = add_verb<DeadBulkOptions>(
        noun,
        action,
        {.name = "rm",
         .summary = "Delete dead letters for good",
         .examples = "  jobstrand dead rm 019c5e2a-8d11-7000-8000-3c8f0a6d1b52\n"
                     "  jobstrand dead rm --created-before 2026-01-01 --yes\n"
                     "  jobstrand dead rm --group 365d5653fd0c --dry-run",
         .over_network = service::Role::admin,
         .honours_scope = true},
        remove_dead
    );
    add_group_option(app, options.group);
    add_bulk_options(app, options);
    add_background_flag(app, options);
}

void add_export(const Command& noun, Action& action) {
    const auto [app, options] = add_verb<DeadBulkOptions>(
        noun,
        action,
        {.name = "export",
         .summary = "Write dead letters with all that brings them back, one JSON object a line",
         .examples = "  jobstrand dead export --all > dead.jsonl\n"
                     "  jobstrand dead export --failed-before 2026-01-01 > old.jsonl",
         .over_network = service::Role::read,
         .honours_scope = true},
        export_dead
    );
    app.add_option("ids", options.ids, "The jobs; - reads them from stdin").type_name("ID");
    app.add_flag("--all", options.all, "All of them");
    add_group_option(app, options.group);
    add_job_filter_options(app, options.filter);
}

void add_import(const Command& noun, Action& action) {
    const auto [app, options] = add_verb<DeadImportOptions>(
        noun,
        action,
        {.name = "import",
         .summary = "Bring exported dead letters back; those that are there are skipped",
         .examples = "  jobstrand dead import dead.jsonl\n"
                     "  zcat old.jsonl.gz | jobstrand dead import -",
         .over_network = service::Role::admin,
         .honours_scope = true},
        import_dead
    );
    app.add_option("file", options.file, "What `dead export` has written; - for stdin")
        .type_name("FILE.jsonl")
        .required();
}

}  // namespace

void add_dead_commands(const Command& program, Action& action) {
    const Command noun = program.add_noun(
        "dead",
        "Dead letters: jobs that have used up their retries",
        "  jobstrand dead ls\n"
        "  jobstrand dead groups\n"
        "  jobstrand dead show 019c5e2a-8d11-7000-8000-3c8f0a6d1b52\n"
        "  jobstrand dead requeue --all --retries 1"
    );
    add_ls(noun, action);
    add_show(noun, action);
    add_groups(noun, action);
    add_requeue(noun, action);
    add_rm(noun, action);
    add_export(noun, action);
    add_import(noun, action);
}

}  // namespace jobstrand::cli
