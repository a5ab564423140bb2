#include "tools/jobstrand/commands/nouns.hpp"
#include "tools/jobstrand/commands/schema_changes.hpp"

namespace jobstrand::cli {

void add_schema_commands(CLI::App& program, Action& action) {
    CLI::App& noun = add_noun(program, "schema", "The tables in the database");
    (void)add_verb<SchemaOptions>(
        noun,
        action,
        {.name = "create",
         .summary = "Create the tables, or bring older ones up to date",
         .examples = "  jobstrand schema create --db sqlite:jobs.db"},
        create_schema
    );
    (void)add_verb<SchemaOptions>(
        noun,
        action,
        {.name = "upgrade",
         .summary = "Bring existing tables up to the version of this program",
         .examples = "  jobstrand schema upgrade --db sqlite:jobs.db"},
        upgrade_existing_schema
    );
    (void)add_verb<SchemaOptions>(
        noun,
        action,
        {.name = "check",
         .summary =
             "Compare the tables with what this program expects (exit code 6 if they differ)",
         .examples = "  jobstrand schema check --db sqlite:jobs.db"},
        check_live_schema
    );
    const auto [app, options] = add_verb<SchemaOptions>(
        noun,
        action,
        {.name = "print",
         .summary = "Print the SQL that creates the tables",
         .examples = "  jobstrand schema print --dialect mysql"},
        print_schema
    );
    app.add_option(
           "--dialect", options.dialect, "sqlite, mysql or postgresql (default: that of --db)"
    )
        ->type_name("NAME");
}

}  // namespace jobstrand::cli
