#include "schema/text/utf8.hpp"
#include "tools/operations/job/job_adding.hpp"
#include "tools/operations/job/job_changing.hpp"
#include "tools/operations/job/job_explaining.hpp"
#include "tools/operations/job/job_showing.hpp"
#include "tools/operations/nouns.hpp"
#include "tools/parameters/option_values.hpp"
#include "tools/parameters/schedule_options.hpp"

namespace jobstrand::cli {

namespace {

struct CancelOptions {
    std::vector<std::string> ids;
    std::string reason;
    std::optional<std::string> by;  ///< nullopt: the user whose environment this is.
};

/// Both together stand in EXCEPTION_MSG_, which holds more than that.
constexpr std::size_t kReasonLength = 1000;
constexpr std::size_t kByLength = 255;

void require_length(std::string_view option, const std::string& text, std::size_t most) {
    if (schema::first_characters(text, most).size() < text.size()) {
        throw WrongUsage("{} has {} characters at most", option, most);
    }
}

/// Those of the fields, and of what else a new job may be given.
[[nodiscard]] Parameters<AddOptions> adding() {
    Parameters<AddOptions> fields;
    for (const TypedParameter<TypedFields>& one : field_parameters(&schema::JobField::add)) {
        const auto due = due_parameters(
            one.meaning.c_str(), "Not before a time from now: 10m, 2h, 3 business days"
        );
        fields = joined(
            fields,
            one.names == "--due" ? of_part(due, &AddOptions::due)
                                 : of_part(Parameters<TypedFields>{one}, &AddOptions::fields)
        );
    }
    const Parameters<AddOptions> rules{
        {"--external", &AddOptions::external, "For external workers"},
        {"--on-duplicate",
         &AddOptions::on_duplicate,
         "If a job has the key: reject (default), keep it, or replace it",
         {.unit = "RULE", .may_be_empty = true}},
        {"--unique-for",
         ParameterTarget<AddOptions>::raw(ParameterKind::duration, &AddOptions::unique_for),
         "How long the key is taken (default: while the job is open)",
         {.unit = "DURATION"}},
    };
    const Parameters<AddOptions> files{
        {"--from",
         &AddOptions::from,
         "One JSON object per line; - for stdin. All or none",
         {.unit = "FILE.jsonl", .may_be_empty = true}},
        {"--keep-going", &AddOptions::keep_going, "Leave bad lines out and add the others"},
    };
    return joined(fields, rules, of_part(series_parameters(), &AddOptions::series), files);
}

[[nodiscard]] Parameters<JobListOptions> job_listing() {
    return joined(
        Parameters<JobListOptions>{
            {"--place",
             &JobListOptions::place,
             "executable (default), timer, suspended, dead, external, all; done: what succeeded",
             {.unit = "PLACE", .may_be_empty = true}},
            {"--sort",
             &JobListOptions::sort,
             "By id, due, created, priority, retries, type or failed",
             {.unit = "FIELD", .may_be_empty = true}},
            {"--desc", &JobListOptions::descending, "With --sort: the greatest first"},
            {"--skip",
             ParameterTarget<JobListOptions>::raw(ParameterKind::number, &JobListOptions::skip),
             "With --sort: go on behind so many",
             {.unit = "N"}}},
        of_base<JobListOptions>(job_list_parameters())
    );
}

[[nodiscard]] Parameters<PlacedBulkOptions> place_parameter() {
    return {
        {"--place",
         &PlacedBulkOptions::place,
         "Where they stand (default: ids anywhere, filters among the executable jobs)",
         {.unit = "PLACE", .may_be_empty = true}}};
}

[[nodiscard]] Parameters<PlacedBulkOptions> bulk_choice() {
    return of_part(joined(bulk_job_parameters(), background_parameter()), &PlacedBulkOptions::bulk);
}

[[nodiscard]] Parameters<SetOptions> setting() {
    const auto due = due_parameters("When they are due: any timer text", "The time from now");
    return joined(
        of_base<SetOptions>(place_parameter()),
        of_part(field_parameters(&schema::JobField::change), &SetOptions::fields),
        of_part(joined(due, due_context_parameters()), &SetOptions::due),
        of_base<SetOptions>(bulk_choice())
    );
}

[[nodiscard]] Parameters<CancelOptions> cancelling() {
    return {
        {"ids",
         &CancelOptions::ids,
         "The jobs; - reads them from stdin",
         {.unit = "ID", .is_required = true, .is_raw = true}},
        {"--reason",
         &CancelOptions::reason,
         "Why; the dead letter keeps it",
         {.unit = "TEXT", .is_required = true, .may_be_empty = true}},
        {"--by",
         &CancelOptions::by,
         "Who says so (default: USER)",
         {.unit = "NAME", .may_be_empty = true}},
    };
}

[[nodiscard]] ExitCode cancel_jobs(Session& session, const CancelOptions& options) {
    const deadletter::Cancellation cancellation{
        .by = options.by ? not_empty("--by", *options.by) : session.user(),
        .reason = not_empty("--reason", options.reason),
    };
    require_length("--reason", cancellation.reason, kReasonLength);
    require_length("--by", cancellation.by, kByLength);
    const std::vector<std::string> ids = job_ids(session, options.ids);
    return report_jobs(session, "cancelled", [&](const deadletter::BulkWatch& watch) {
        session.jobs().cancel(ids, cancellation, watch);
    });
}

/// Says first that a job which runs is not stopped.
void suspend_jobs(Session& session, const NamedThings& jobs, const deadletter::BulkWatch& watch) {
    const auto print_and_go_on = [&](const deadletter::ItemResult& item) {
        if (item.answer == deadletter::ItemAnswer::done && item.moved == 0) {
            session.tell("job {} runs on; it waits suspended when it is to run again", item.id);
        }
        watch.on_item(item);
    };
    session.jobs().suspend_jobs(jobs.names, {.on_item = print_and_go_on});
}

void activate_jobs(Session& session, const NamedThings& jobs, const deadletter::BulkWatch& watch) {
    session.jobs().activate_jobs(jobs.names, watch);
}

[[nodiscard]] DescribedResult described_explanation() {
    return {
        .fields = {
            {"id", "The job", {}},
            {"code", "The most decisive reason", {}},
            {"text", "The same as a sentence", {}},
            {"advice", "What to do", {.is_nullable = true}},
            {"reasons", "All of them: code, text and advice of each", {.name = {}}},
            {"facts", "What was looked at", {.name = "object"}},
        }};
}

}  // namespace

OperationNoun job_noun() {
    return {
        .name = "job",
        .summary = "Jobs: what is to be done",
        .examples =
            "  jobstrand job add --type log --payload '{\"hello\":\"world\"}'\n"
            "  jobstrand job ls --place all\n"
            "  jobstrand job show 019c5e2a-8d11-7000-8000-3c8f0a6d1b52",
        .operations =
            {
                writing_operation(
                    {.words = "job add",
                     .summary = "Enqueue a job, or a file of jobs",
                     .examples =
                         "  jobstrand job add --type log --payload '{\"hello\":\"world\"}'\n"
                         "  jobstrand job add --type command --payload '{\"command\":\"hash\"}' "
                         "--due-in 5m\n"
                         "  jobstrand job add --type reminder --due 'tomorrow 09:00' --zone "
                         "Europe/Berlin\n"
                         "  jobstrand job add --type log --repeat R/PT10M\n"
                         "  jobstrand job add --type report --series nightly --repeat '0 30 2 * * "
                         "?' --zone Europe/Berlin\n"
                         "  jobstrand job add --type reindex --unique-key product-17 "
                         "--on-duplicate keep\n"
                         "  jobstrand job add --from jobs.jsonl\n"
                         "  echo '{\"handlerType\":\"noop\"}' | jobstrand job add --from -",
                     .role = service::Role::worker},
                    adding(),
                    {},
                    add_jobs
                ),
                writing_operation(
                    {.words = "job ls",
                     .summary =
                         "List jobs, oldest first (payloads above 4000 characters are left out)",
                     .examples = "  jobstrand job ls --place all\n"
                                 "  jobstrand job ls --type send-invoice --locked\n"
                                 "  jobstrand job ls --place timer --sort due --limit 10\n"
                                 "  jobstrand job ls --place done --type send-invoice\n"
                                 "  jobstrand job ls --limit 1000 -o jsonl",
                     .role = service::Role::read,
                     .honours_scope = true},
                    job_listing(),
                    {},
                    list_jobs
                ),
                writing_operation(
                    {.words = "job show",
                     .summary =
                         "Show a job with all its fields, wherever it is, or its run if it is done",
                     .examples =
                         "  jobstrand job show 019c5e2a-8d11-7000-8000-3c8f0a6d1b52 -o json",
                     .role = service::Role::read,
                     .honours_scope = true},
                    one_name("id", "The job"),
                    {},
                    show_job
                ),
                writing_operation(
                    {.words = "job explain",
                     .summary = "Tell why a job does not run now, and what to do",
                     .examples = "  jobstrand job explain 019c5e2a-8d11-7000-8000-3c8f0a6d1b52\n"
                                 "  jobstrand job explain 019c5e2a-8d11-7000-8000-3c8f0a6d1b52 -o "
                                 "json | jq "
                                 "-r .code",
                     .role = service::Role::read,
                     .path = "GET /api/v1/jobs/{id}/explanation"},
                    one_name("id", "The job"),
                    described_explanation(),
                    explain_job
                ),
                writing_operation(
                    {.words = "job run",
                     .summary = "Run an executable job now, in this process",
                     .examples = "  jobstrand job run 019c5e2a-8d11-7000-8000-3c8f0a6d1b52",
                     .is_local = true},
                    one_name("id", "The job"),
                    {},
                    run_job
                ),
                writing_operation(
                    {.words = "job set",
                     .summary = "Change jobs that no node holds",
                     .examples =
                         "  jobstrand job set 019c5e2a-8d11-7000-8000-3c8f0a6d1b52 --retries 5\n"
                         "  jobstrand job set 019c5e2a-8d11-7000-8000-3c8f0a6d1b52 --due 'tomorrow "
                         "09:00' --zone Europe/Berlin\n"
                         "  jobstrand job set --place timer --type mail --with-exception --retries "
                         "5 --due now",
                     .path = "POST /api/v1/jobs/set",
                     .honours_scope = true},
                    setting(),
                    described_change("set", "locked"),
                    set_jobs
                ),
                writing_operation(
                    {.words = "job cancel",
                     .summary =
                         "Make dead letters of jobs, also of those that run: they are told to stop",
                     .examples =
                         "  jobstrand job cancel 019c5e2a-8d11-7000-8000-3c8f0a6d1b52 --reason "
                         "'wrong file'\n"
                         "  jobstrand job ls --locked --type import -o name | jobstrand job cancel "
                         "- --reason 'the source is down'",
                     .path = "POST /api/v1/jobs/cancel",
                     .honours_scope = true},
                    cancelling(),
                    described_items("id"),
                    cancel_jobs
                ),
                items_operation(
                    {.words = "job suspend",
                     .summary = "Keep single jobs from running until they are activated",
                     .examples = "  jobstrand job suspend 019c5e2a-8d11-7000-8000-3c8f0a6d1b52",
                     .path = "POST /api/v1/jobs/suspend"},
                    several_jobs("The jobs; - reads them from stdin"),
                    {.done = "suspended", .why_not = why_not_job},
                    suspend_jobs
                ),
                items_operation(
                    {.words = "job activate",
                     .summary = "Let suspended jobs go on where they were",
                     .examples = "  jobstrand job activate 019c5e2a-8d11-7000-8000-3c8f0a6d1b52",
                     .path = "POST /api/v1/jobs/activate"},
                    several_jobs("The jobs; - reads them from stdin"),
                    {.done = "activated", .why_not = why_not_job},
                    activate_jobs
                ),
                writing_operation(
                    {.words = "job rm",
                     .summary = "Delete jobs for good",
                     .examples = "  jobstrand job rm 019c5e2a-8d11-7000-8000-3c8f0a6d1b52\n"
                                 "  jobstrand job rm --type old-type --dry-run\n"
                                 "  jobstrand job rm --place suspended --instance order-17 --yes",
                     .path = "POST /api/v1/jobs/rm",
                     .honours_scope = true},
                    joined(place_parameter(), bulk_choice()),
                    described_change("removed", "locked"),
                    remove_jobs
                ),
            },
    };
}

}  // namespace jobstrand::cli
