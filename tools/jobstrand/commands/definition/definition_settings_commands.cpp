#include "tools/jobstrand/commands/bulk_options.hpp"
#include "tools/jobstrand/commands/definition/definition_settings.hpp"
#include "tools/jobstrand/commands/nouns.hpp"

namespace jobstrand::cli {

namespace {

constexpr const char* kNameHelp =
    "A definition, one of its elements, an element and a handler type, or DEFINITION//TYPE";
constexpr const char* kNameType = "DEFINITION[/ELEMENT[/TYPE]]";

void add_settings_list(const Command& noun, Action& action) {
    const auto [app, options] = add_verb<DefinitionListOptions>(
        noun,
        action,
        {.name = "settings",
         .summary = "List what is set for definitions, their elements and their handler types",
         .examples = "  jobstrand definition settings\n"
                     "  jobstrand definition settings --element charge-card -o json",
         .over_network = service::Role::read},
        list_definitions
    );
    app.add_option("--definition", options.definition, "Only of this definition").type_name("ID");
    app.add_option("--element", options.element, "Only of this element").type_name("ID");
    app.add_option("--type", options.type, "Only of this handler type").type_name("NAME");
    add_page_options(app, options.limit, options.after);
}

void add_definition_show(const Command& noun, Action& action) {
    const auto [app, options] = add_verb<DefinitionShowOptions>(
        noun,
        action,
        {.name = "show",
         .summary = "Show what is set for a definition, an element or a type",
         .examples = "  jobstrand definition show shipping:3/charge-card",
         .over_network = service::Role::read},
        show_definition
    );
    app.add_option("name", options.name, kNameHelp).type_name(kNameType).required();
}

void add_definition_set(const Command& noun, Action& action) {
    const auto [app, options] = add_verb<DefinitionSetOptions>(
        noun,
        action,
        {.name = "set",
         .summary = "Set what new jobs get that do not say it themselves; other processes hear of "
                    "it within five seconds",
         .examples = "  jobstrand definition set shipping:3 --priority 8\n"
                     "  jobstrand definition set shipping:3/charge-card --priority 100\n"
                     "  jobstrand definition set shipping:3//mail --retry-cycle R5/PT5M\n"
                     "  jobstrand definition set shipping:3/charge-card --override -10\n"
                     "  jobstrand definition set shipping:3 --override -10 --cascade --dry-run\n"
                     "  jobstrand definition set shipping:3 --override -10 --cascade\n"
                     "  jobstrand definition set shipping:3/charge-card --override none",
         .over_network = service::Role::admin},
        set_definition
    );
    app.add_option("name", options.name, kNameHelp).type_name(kNameType).required();
    app.add_option("--priority", options.priority, "Unless the job has one; none takes it away")
        .type_name("NUMBER");
    app.add_option(
           "--retry-cycle", options.retry_cycle, "Unless the job has one; none takes it away"
    )
        .type_name("CYCLE");
    app.add_option(
           "--exclusive", options.exclusive, "false: its jobs are not exclusive; none: they may be"
    )
        .type_name("true|false|none");
    app.add_option(
           "--override",
           options.override_priority,
           "A priority that goes before all others, until it is none"
    )
        .type_name("NUMBER");
    app.add_flag(
        "--cascade",
        options.cascade,
        "Give the jobs that are there the override too, but for those that run; after a stop, "
        "type the same again"
    );
    app.add_flag(
        "--dry-run", options.dry_run, "With --cascade: show which jobs those are, change nothing"
    );
}

}  // namespace

void add_definition_settings(const Command& noun, Action& action) {
    add_settings_list(noun, action);
    add_definition_show(noun, action);
    add_definition_set(noun, action);
    const auto [app, options] = add_verb<DefinitionRemoveOptions>(
        noun,
        action,
        {.name = "rm",
         .summary = "Remove what is set for definitions, elements or types; jobs keep what they "
                    "got from it",
         .examples = "  jobstrand definition rm shipping:2",
         .over_network = service::Role::admin},
        remove_definitions
    );
    app.add_option("names", options.names, "Their names; - reads them from stdin")
        .type_name(kNameType)
        .required();
}

}  // namespace jobstrand::cli
