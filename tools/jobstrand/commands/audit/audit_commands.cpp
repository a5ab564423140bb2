#include "tools/jobstrand/commands/audit/audit.hpp"
#include "tools/jobstrand/commands/nouns.hpp"

namespace jobstrand::cli {

namespace {

void add_audit_list(const Command& noun, Action& action) {
    const auto [app, options] = add_verb<AuditListOptions>(
        noun,
        action,
        {.name = "ls",
         .summary = "List what people have changed, the latest first",
         .examples = "  jobstrand audit ls\n"
                     "  jobstrand audit ls --who anna --since 2d\n"
                     "  jobstrand audit ls --action 'dead requeue' -o json",
         .over_network = service::Role::read},
        list_audit
    );
    app.add_option("--who", options.who, "Only of this user or token").type_name("NAME");
    app.add_option("--action", options.action, "Only this action, such as 'dead rm'")
        .type_name("TEXT");
    app.add_option("--since", options.since, "From this time on").type_name("DATE");
    app.add_option("--until", options.until, "Before this time").type_name("DATE");
    app.add_option("--limit", options.limit, "At most so many").type_name("N");
    app.add_option("--after", options.after, "Go on behind this entry").type_name("ID");
}

}  // namespace

void add_audit_commands(const Command& program, Action& action) {
    const Command noun = program.add_noun(
        "audit",
        "What people have changed: who, when, how many, why",
        "  jobstrand audit ls\n"
        "  jobstrand audit rm --before 2025-01-01"
    );
    add_audit_list(noun, action);
    const auto [app, options] = add_verb<AuditRemoveOptions>(
        noun,
        action,
        {.name = "rm",
         .summary = "Forget what is older than a time; that is audited too",
         .examples = "  jobstrand audit rm --before 2025-01-01\n"
                     "  jobstrand audit rm --before 365d",
         .over_network = service::Role::admin},
        remove_audit
    );
    app.add_option("--before", options.before, "What is older is removed")
        .type_name("DATE")
        .required();
}

}  // namespace jobstrand::cli
