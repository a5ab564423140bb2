#include "tools/jobstrand/commands/bulk_options.hpp"
#include "tools/jobstrand/commands/history/incidents.hpp"
#include "tools/jobstrand/commands/nouns.hpp"

namespace jobstrand::cli {

namespace {

void add_incident_filter(const Command& app, IncidentFilterOptions& options) {
    app.add_option("--type,--handler", options.type, "Of jobs of this handler type")
        .type_name("TEXT");
    app.add_option("--definition", options.definition, "Of this definition").type_name("ID");
    app.add_option("--instance", options.instance, "Of this instance").type_name("ID");
    app.add_option("--cause", options.cause, "For this reason, such as retries_exhausted")
        .type_name("WORD");
    app.add_option("--tenant", options.tenant, "Of this tenant").type_name("TEXT");
    app.add_option("--since", options.since, "Begun at this time or later").type_name("DATE");
    app.add_option("--until", options.until, "Begun before this time").type_name("DATE");
}

void add_incident_list(const Command& noun, Action& action) {
    const auto [app, options] = add_verb<IncidentListOptions>(
        noun,
        action,
        {.name = "ls",
         .summary = "List what open incidents are about, or each of them; resolved ones",
         .examples = "  jobstrand incident ls\n"
                     "  jobstrand incident ls --each --since 1h\n"
                     "  jobstrand incident ls --resolved --since 7d\n"
                     "  jobstrand incident ls --type send-invoice -o json",
         .over_network = service::Role::read},
        list_incidents
    );
    app.add_flag("--each", options.each, "Each by itself, by job, and not by cause");
    app.add_flag("--resolved", options.resolved, "Those that are over, the latest first");
    app.add_option("--job", options.job, "Of this job").type_name("ID");
    add_incident_filter(app, options.filter);
    add_page_options(app, options.limit, options.after);
}

void add_incident_show(const Command& noun, Action& action) {
    const auto [app, options] = add_verb<IncidentShowOptions>(
        noun,
        action,
        {.name = "show",
         .summary = "Show the incidents of a job, the open one first",
         .examples = "  jobstrand incident show 019c5e2a-8d11-7000-8000-3c8f0a6d1b52",
         .over_network = service::Role::read},
        show_incidents
    );
    app.add_option("job", options.job, "The job").required();
}

void add_incident_annotate(const Command& noun, Action& action) {
    const auto [app, options] = add_verb<IncidentNoteOptions>(
        noun,
        action,
        {.name = "annotate",
         .summary = "Note something about open incidents",
         .examples = "  jobstrand incident annotate 019c5e2a-8d11-7000-8000-3c8f0a6d1b52 --note "
                     "'anna calls the bank'",
         .over_network = service::Role::admin},
        annotate_incidents
    );
    app.add_option("jobs", options.jobs, "Their jobs; - for a list on stdin").required();
    app.add_option("--note", options.text, "The note; an empty one takes it away")
        .type_name("TEXT")
        .required();
}

void add_incident_resolve(const Command& noun, Action& action) {
    const auto [app, options] = add_verb<IncidentResolveOptions>(
        noun,
        action,
        {.name = "resolve",
         .summary = "Resolve open incidents by hand; their dead letters stay",
         .examples = "  jobstrand incident resolve 019c5e2a-8d11-7000-8000-3c8f0a6d1b52\n"
                     "  jobstrand incident resolve --until 30d --yes",
         .over_network = service::Role::admin},
        resolve_incidents
    );
    app.add_option("jobs", options.jobs, "Their jobs; - for a list on stdin");
    add_incident_filter(app, options.filter);
    add_bulk_flags(app, options);
}

}  // namespace

void add_incident_commands(const Command& program, Action& action) {
    const Command noun = program.add_noun(
        "incident",
        "Dead letters that have to be looked at: since when, why, what was noted, how it ended",
        "  jobstrand incident ls\n"
        "  jobstrand incident annotate 019c5e2a-8d11-7000-8000-3c8f0a6d1b52 --note 'known'"
    );
    add_incident_list(noun, action);
    add_incident_show(noun, action);
    add_incident_annotate(noun, action);
    add_incident_resolve(noun, action);
}

}  // namespace jobstrand::cli
