#include "persistence/drivers/registry.hpp"
#include "tools/jobstrand/commands/database/schema_changes.hpp"
#include "tools/jobstrand/commands/nouns.hpp"

namespace jobstrand::cli {

namespace {

void add_index_command(const Command& noun, Action& action) {
    const auto [app, options] = add_verb<IndexOptions>(
        noun,
        action,
        {.name = "index",
         .summary = "Create or drop an index that only one setting needs, or tell whether it is "
                    "there",
         .examples = "  jobstrand schema index priority --create      # for acquireByPriority\n"
                     "  jobstrand schema index due --create           # for preferTimerJobs and "
                     "acquireByDueDate\n"
                     "  jobstrand schema index priority-due --create  # for both together, and for "
                     "priorityAging\n"
                     "  jobstrand schema index tenant --create        # for tenantsInTurn\n"
                     "  jobstrand schema index instance --create      # for instancesTogether\n"
                     "  jobstrand schema index priority --drop        # when no node needs it any "
                     "more"},
        change_index
    );
    app.add_option("NAME", options.name, "priority, due, priority-due, tenant or instance")
        .required();
    const CommandOption create = app.add_flag("--create", options.create, "Create it");
    app.add_flag("--drop", options.drop, "Drop it").excludes(create);
}

}  // namespace

void add_schema_commands(const Command& program, Action& action) {
    const Command noun = program.add_noun(
        "schema",
        "The tables in the database",
        "  jobstrand schema create --db sqlite:jobs.db\n"
        "  jobstrand schema check"
    );
    (void)add_verb<SchemaOptions>(
        noun,
        action,
        {.name = "create",
         .summary = "Create the tables, or bring older ones of Jobstrand up to date",
         .examples = "  jobstrand schema create --db sqlite:jobs.db"},
        create_schema
    );
    const auto [upgrade_app, upgrade_options] = add_verb<SchemaOptions>(
        noun,
        action,
        {.name = "upgrade",
         .summary = "Bring existing tables up to the version of this program, Flowable's too",
         .examples = "  jobstrand schema upgrade --db sqlite:jobs.db"},
        upgrade_existing_schema
    );
    upgrade_app.add_flag(
        "--datetime",
        upgrade_options.with_datetimes,
        "On MySQL and MariaDB, keep times as datetime(3), which does not end in 2038"
    );
    (void)add_verb<SchemaOptions>(
        noun,
        action,
        {.name = "check",
         .summary =
             "Compare the tables with what this program expects (exit code 6 if they differ)",
         .examples = "  jobstrand schema check --db sqlite:jobs.db\n"
                     "  jobstrand schema check --db sqlite:jobs.db -o json"},
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
           "--dialect", options.dialect, persistence::driver_names() + " (default: that of --db)"
    )
        .type_name("NAME");
    app.add_flag(
        "--optional-indexes",
        options.with_optional_indexes,
        "Also the indexes that only some settings need (see schema index)"
    );
    add_index_command(noun, action);
}

}  // namespace jobstrand::cli
