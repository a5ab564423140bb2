#include "tools/jobstrand/commands/bulk_options.hpp"
#include "tools/jobstrand/commands/instance/suspension.hpp"
#include "tools/jobstrand/commands/nouns.hpp"

namespace jobstrand::cli {

namespace {

using persistence::SuspensionScope;

void add_change(
    const Command& noun,
    Action& action,
    const VerbText& text,
    SuspensionScope scope,
    bool activate
) {
    const auto [app, options] = add_verb<SuspensionOptions>(noun, action, text, change_suspension);
    if (scope == SuspensionScope::definition) {
        app.add_option("--element", options.element, "Only the jobs of this element")
            .type_name("ID");
        app.add_option("--type", options.type, "Only the jobs of this handler type")
            .type_name("NAME");
        if (!activate) {
            app.add_flag(
                "--new-jobs-only", options.without_jobs, "Jobs that are there go on running"
            );
        }
    }
    options.scope = scope;
    options.activate = activate;
    app.add_option("ids", options.ids, "Their ids; - reads them from stdin")
        .type_name("ID")
        .required();
    add_due_options(
        app,
        options.due,
        "Not now but then, by a timer job that a service carries out",
        "Not now but after this time"
    );
    add_due_context_options(app, options.due);
}

void add_list(const Command& noun, Action& action, const VerbText& text, SuspensionScope scope) {
    const auto [app, options] = add_verb<ScopeListOptions>(noun, action, text, list_scopes);
    options.scope = scope;
    app.add_flag("--suspended", options.only_suspended, "Only those that are suspended");
    add_page_options(app, options.limit, options.after);
}

}  // namespace

void add_instance_commands(const Command& program, Action& action) {
    const Command noun = program.add_noun(
        "instance",
        "Process instances: jobs that belong together",
        "  jobstrand instance suspend order-17\n"
        "  jobstrand instance ls\n"
        "  jobstrand instance activate order-17"
    );
    add_list(
        noun,
        action,
        {.name = "ls",
         .summary = "List instances that have jobs or are suspended",
         .examples = "  jobstrand instance ls -o json\n"
                     "  jobstrand instance ls --suspended",
         .over_network = service::Role::read},
        SuspensionScope::instance
    );
    add_change(
        noun,
        action,
        {.name = "suspend",
         .summary = "Keep the jobs of instances from running until they are activated",
         .examples = "  jobstrand instance suspend order-17 order-18",
         .over_network = service::Role::admin},
        SuspensionScope::instance,
        false
    );
    add_change(
        noun,
        action,
        {.name = "activate",
         .summary = "Let the jobs of suspended instances go on, each where it was",
         .examples = "  jobstrand instance activate order-17",
         .over_network = service::Role::admin},
        SuspensionScope::instance,
        true
    );
}

void add_tenant_commands(const Command& program, Action& action) {
    const Command noun = program.add_noun(
        "tenant",
        "Tenants: whose jobs they are",
        "  jobstrand tenant suspend acme\n"
        "  jobstrand tenant ls\n"
        "  jobstrand tenant activate acme"
    );
    add_list(
        noun,
        action,
        {.name = "ls",
         .summary = "List tenants that have jobs or are suspended; without --suspended, all jobs "
                    "are read",
         .examples = "  jobstrand tenant ls --suspended",
         .over_network = service::Role::read},
        SuspensionScope::tenant
    );
    add_change(
        noun,
        action,
        {.name = "suspend",
         .summary = "Keep the jobs of tenants from running until they are activated",
         .examples = "  jobstrand tenant suspend acme",
         .over_network = service::Role::admin},
        SuspensionScope::tenant,
        false
    );
    add_change(
        noun,
        action,
        {.name = "activate",
         .summary = "Let the jobs of suspended tenants go on, each where it was",
         .examples = "  jobstrand tenant activate acme",
         .over_network = service::Role::admin},
        SuspensionScope::tenant,
        true
    );
}

void add_definition_commands(const Command& program, Action& action) {
    const Command noun = program.add_noun(
        "definition",
        "Process definitions: kinds of instances, and what their jobs get",
        "  jobstrand definition suspend shipping:3\n"
        "  jobstrand definition set shipping:3 --priority 8\n"
        "  jobstrand definition ls --suspended\n"
        "  jobstrand definition activate shipping:3"
    );
    add_list(
        noun,
        action,
        {.name = "ls",
         .summary = "List definitions that have jobs or are suspended; without --suspended, all "
                    "jobs are read",
         .examples =
             "  jobstrand definition ls --suspended\n"
             "  jobstrand definition ls --suspended -o name | jobstrand definition activate -",
         .over_network = service::Role::read},
        SuspensionScope::definition
    );
    add_change(
        noun,
        action,
        {.name = "suspend",
         .summary = "Keep the jobs of definitions from running until they are activated",
         .examples = "  jobstrand definition suspend shipping:3\n"
                     "  jobstrand definition suspend shipping:3 --element charge-card\n"
                     "  jobstrand definition suspend shipping:3 --new-jobs-only\n"
                     "  jobstrand definition suspend shipping:3 --due 'tomorrow 22:00'",
         .over_network = service::Role::admin},
        SuspensionScope::definition,
        false
    );
    add_change(
        noun,
        action,
        {.name = "activate",
         .summary = "Let the jobs of suspended definitions go on, each where it was",
         .examples = "  jobstrand definition activate shipping:3",
         .over_network = service::Role::admin},
        SuspensionScope::definition,
        true
    );
    add_definition_settings(noun, action);
}

}  // namespace jobstrand::cli
