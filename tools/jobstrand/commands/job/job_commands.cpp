#include "tools/jobstrand/commands/bulk_options.hpp"
#include "tools/jobstrand/commands/explain/job_explaining.hpp"
#include "tools/jobstrand/commands/job/job_adding.hpp"
#include "tools/jobstrand/commands/job/job_cancelling.hpp"
#include "tools/jobstrand/commands/job/job_changes.hpp"
#include "tools/jobstrand/commands/job/job_listing.hpp"
#include "tools/jobstrand/commands/job/job_removal.hpp"
#include "tools/jobstrand/commands/job/job_showing.hpp"
#include "tools/jobstrand/commands/nouns.hpp"

namespace jobstrand::cli {

namespace {

void add_field_options(const Command& verb, AddOptions& options) {
    for (TypedField& typed : options.fields) {
        if (typed.field->is_about(&schema::Job::due_date)) {
            add_due_options(
                verb,
                options.due,
                std::string(typed.option->meaning).c_str(),
                "Not before a time from now: 10m, 2h, 3 business days"
            );
        } else {
            add_field_option(verb, typed);
        }
    }
    verb.add_flag("--external", options.external, "For external workers");
    verb.add_option(
            "--on-duplicate",
            options.on_duplicate,
            "If a job has the key: reject (default), keep it, or replace it"
    )
        .type_name("RULE");
    verb.add_option(
            "--unique-for",
            options.unique_for,
            "How long the key is taken (default: while the job is open)"
    )
        .type_name("DURATION");
}

void add_add(const Command& noun, Action& action) {
    const auto [app, options] = add_verb<AddOptions>(
        noun,
        action,
        {.name = "add",
         .summary = "Enqueue a job, or a file of jobs",
         .examples =
             "  jobstrand job add --type log --payload '{\"hello\":\"world\"}'\n"
             "  jobstrand job add --type command --payload '{\"command\":\"hash\"}' --due-in 5m\n"
             "  jobstrand job add --type reminder --due 'tomorrow 09:00' --zone Europe/Berlin\n"
             "  jobstrand job add --type log --repeat R/PT10M\n"
             "  jobstrand job add --type report --series nightly --repeat '0 30 2 * * ?' --zone "
             "Europe/Berlin\n"
             "  jobstrand job add --type reindex --unique-key product-17 --on-duplicate keep\n"
             "  jobstrand job add --from jobs.jsonl\n"
             "  echo '{\"handlerType\":\"noop\"}' | jobstrand job add --from -",
         .over_network = service::Role::worker},
        add_jobs
    );
    add_field_options(app, options);
    add_series_options(app, options.series);
    app.add_option("--from", options.from, "One JSON object per line; - for stdin. All or none")
        .type_name("FILE.jsonl");
    app.add_flag("--keep-going", options.keep_going, "Leave bad lines out and add the others");
}

void add_ls(const Command& noun, Action& action) {
    const auto [app, options] = add_verb<JobListOptions>(
        noun,
        action,
        {.name = "ls",
         .summary = "List jobs, oldest first (payloads above 4000 characters are left out)",
         .examples = "  jobstrand job ls --place all\n"
                     "  jobstrand job ls --type send-invoice --locked\n"
                     "  jobstrand job ls --place timer --sort due --limit 10\n"
                     "  jobstrand job ls --limit 1000 -o jsonl",
         .over_network = service::Role::read,
         .honours_scope = true},
        list_jobs
    );
    app.add_option(
           "--place", options.place, "executable (default), timer, suspended, dead, external, all"
    )
        .type_name("PLACE");
    app.add_option("--sort", options.sort, "By id, due, created, priority, retries, type or failed")
        .type_name("FIELD");
    app.add_flag("--desc", options.descending, "With --sort: the greatest first");
    app.add_option("--skip", options.skip, "With --sort: go on behind so many").type_name("N");
    add_list_options(app, options);
}

void add_show(const Command& noun, Action& action) {
    const auto [app, options] = add_verb<ShowOptions>(
        noun,
        action,
        {.name = "show",
         .summary = "Show a job with all its fields, wherever it is",
         .examples = "  jobstrand job show 019c5e2a-8d11-7000-8000-3c8f0a6d1b52 -o json",
         .over_network = service::Role::read,
         .honours_scope = true},
        show_job
    );
    app.add_option("id", options.id, "The job").required();
}

void add_explain(const Command& noun, Action& action) {
    const auto [app, options] = add_verb<ExplainOptions>(
        noun,
        action,
        {.name = "explain",
         .summary = "Tell why a job does not run now, and what to do",
         .examples = "  jobstrand job explain 019c5e2a-8d11-7000-8000-3c8f0a6d1b52\n"
                     "  jobstrand job explain 019c5e2a-8d11-7000-8000-3c8f0a6d1b52 -o json | jq "
                     "-r .code",
         .over_network = service::Role::read},
        explain_job
    );
    app.add_option("id", options.id, "The job").required();
}

void add_run(const Command& noun, Action& action) {
    const auto [app, options] = add_verb<RunOptions>(
        noun,
        action,
        {.name = "run",
         .summary = "Run an executable job now, in this process",
         .examples = "  jobstrand job run 019c5e2a-8d11-7000-8000-3c8f0a6d1b52",
         .changes_jobs_here = true},
        run_job
    );
    app.add_option("id", options.id, "The job").required();
}

void add_set(const Command& noun, Action& action) {
    const auto [app, options] = add_verb<SetOptions>(
        noun,
        action,
        {.name = "set",
         .summary = "Change jobs that no node holds",
         .examples = "  jobstrand job set 019c5e2a-8d11-7000-8000-3c8f0a6d1b52 --retries 5\n"
                     "  jobstrand job set 019c5e2a-8d11-7000-8000-3c8f0a6d1b52 --due 'tomorrow "
                     "09:00' --zone Europe/Berlin\n"
                     "  jobstrand job set --place timer --type mail --with-exception --retries 5 "
                     "--due now",
         .over_network = service::Role::admin,
         .honours_scope = true},
        set_jobs
    );
    app.add_option(
           "--place",
           options.place,
           "Where they stand (default: ids anywhere, filters among the executable jobs)"
    )
        .type_name("PLACE");
    for (TypedField& typed : options.fields) {
        add_field_option(app, typed);
    }
    add_due_options(app, options.due, "When they are due: any timer text", "The time from now");
    add_due_context_options(app, options.due);
    add_bulk_options(app, options.bulk);
    add_background_flag(app, options.bulk);
}

void add_cancel(const Command& noun, Action& action) {
    const auto [app, options] = add_verb<CancelOptions>(
        noun,
        action,
        {.name = "cancel",
         .summary = "Make dead letters of jobs, also of those that run: they are told to stop",
         .examples =
             "  jobstrand job cancel 019c5e2a-8d11-7000-8000-3c8f0a6d1b52 --reason 'wrong file'\n"
             "  jobstrand job ls --locked --type import -o name | jobstrand job cancel - --reason "
             "'the source is down'",
         .over_network = service::Role::admin,
         .honours_scope = true},
        cancel_jobs
    );
    app.add_option("ids", options.ids, "The jobs; - reads them from stdin")
        .type_name("ID")
        .required();
    app.add_option("--reason", options.reason, "Why; the dead letter keeps it")
        .type_name("TEXT")
        .required();
    app.add_option("--by", options.by, "Who says so (default: USER)").type_name("NAME");
}

void add_rm(const Command& noun, Action& action) {
    const auto [app, options] = add_verb<RemoveOptions>(
        noun,
        action,
        {.name = "rm",
         .summary = "Delete jobs for good",
         .examples = "  jobstrand job rm 019c5e2a-8d11-7000-8000-3c8f0a6d1b52\n"
                     "  jobstrand job rm --type old-type --dry-run\n"
                     "  jobstrand job rm --place suspended --instance order-17 --yes",
         .over_network = service::Role::admin,
         .honours_scope = true},
        remove_jobs
    );
    app.add_option(
           "--place",
           options.place,
           "Where they stand (default: ids anywhere, filters among the executable jobs)"
    )
        .type_name("PLACE");
    add_bulk_options(app, options.bulk);
    add_background_flag(app, options.bulk);
}

}  // namespace

void add_job_commands(const Command& program, Action& action) {
    const Command noun = program.add_noun(
        "job",
        "Jobs: what is to be done",
        "  jobstrand job add --type log --payload '{\"hello\":\"world\"}'\n"
        "  jobstrand job ls --place all\n"
        "  jobstrand job show 019c5e2a-8d11-7000-8000-3c8f0a6d1b52"
    );
    add_add(noun, action);
    add_ls(noun, action);
    add_show(noun, action);
    add_explain(noun, action);
    add_run(noun, action);
    add_set(noun, action);
    add_cancel(noun, action);
    add_job_suspension(noun, action);
    add_rm(noun, action);
}

}  // namespace jobstrand::cli
