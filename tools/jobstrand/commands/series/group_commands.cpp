#include "tools/jobstrand/commands/instance/suspension.hpp"
#include "tools/jobstrand/commands/nouns.hpp"
#include "tools/jobstrand/commands/series/group_listing.hpp"

namespace jobstrand::cli {

namespace {

void add_change(const Command& noun, Action& action, const VerbText& text, bool activate) {
    const auto [app, options] = add_verb<SuspensionOptions>(noun, action, text, change_suspension);
    options.scope = persistence::SuspensionScope::timer_group;
    options.activate = activate;
    app.add_option("names", options.ids, "The groups; - reads them from stdin")
        .type_name("NAME")
        .required();
}

}  // namespace

void add_group_commands(const Command& program, Action& action) {
    const Command noun = program.add_noun(
        "group",
        "Groups of series, to be paused as a whole",
        "  jobstrand group ls\n"
        "  jobstrand group pause reports"
    );
    (void)add_verb<GroupListOptions>(
        noun,
        action,
        {.name = "ls",
         .summary = "List groups that have series or are paused",
         .examples = "  jobstrand group ls -o json",
         .over_network = service::Role::read},
        list_groups
    );
    add_change(
        noun,
        action,
        {.name = "pause",
         .summary = "Pause the series of groups, those too that are yet to come",
         .examples = "  jobstrand group pause reports",
         .over_network = service::Role::admin},
        false
    );
    add_change(
        noun,
        action,
        {.name = "resume",
         .summary = "Let groups go on; series that were paused themselves stay paused",
         .examples = "  jobstrand group resume reports",
         .over_network = service::Role::admin},
        true
    );
}

}  // namespace jobstrand::cli
