#include "persistence/drivers/registry.hpp"
#include "tools/operations/database/schema_changes.hpp"
#include "tools/operations/nouns.hpp"

namespace jobstrand::cli {

namespace {

[[nodiscard]] Operation index_operation() {
    return local_operation<IndexOptions>(
        {.words = "schema index",
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
        {{"NAME",
          &IndexOptions::name,
          "priority, due, priority-due, tenant or instance",
          {.is_required = true, .may_be_empty = true}},
         {"--create", &IndexOptions::create, "Create it"},
         {"--drop", &IndexOptions::drop, "Drop it", {.excludes_previous = true}}},
        change_index
    );
}

}  // namespace

OperationNoun schema_noun() {
    using Options = SchemaOptions;
    return {
        .name = "schema",
        .summary = "The tables in the database",
        .examples =
            "  jobstrand schema create --db sqlite:jobs.db\n"
            "  jobstrand schema check",
        .operations =
            {
                local_operation<Options>(
                    {.words = "schema create",
                     .summary = "Create the tables, or bring older ones of Jobstrand up to date",
                     .examples = "  jobstrand schema create --db sqlite:jobs.db"},
                    {},
                    create_schema
                ),
                local_operation<Options>(
                    {.words = "schema upgrade",
                     .summary =
                         "Bring existing tables up to the version of this program, Flowable's too",
                     .examples = "  jobstrand schema upgrade --db sqlite:jobs.db"},
                    {{"--datetime",
                      &Options::with_datetimes,
                      "On MySQL and MariaDB, keep times as datetime(3), which does not end in "
                      "2038"}},
                    upgrade_existing_schema
                ),
                local_operation<Options>(
                    {.words = "schema check",
                     .summary =
                         "Compare the tables with what this program expects (exit code 6 if they "
                         "differ)",
                     .examples = "  jobstrand schema check --db sqlite:jobs.db\n"
                                 "  jobstrand schema check --db sqlite:jobs.db -o json"},
                    {},
                    check_live_schema
                ),
                local_operation<Options>(
                    {.words = "schema print",
                     .summary = "Print the SQL that creates the tables",
                     .examples = "  jobstrand schema print --dialect mysql"},
                    {{"--dialect",
                      &Options::dialect,
                      persistence::driver_names() + " (default: that of --db)",
                      {.unit = "NAME", .may_be_empty = true}},
                     {"--optional-indexes",
                      &Options::with_optional_indexes,
                      "Also the indexes that only some settings need (see schema index)"}},
                    print_schema
                ),
                index_operation(),
            },
    };
}

}  // namespace jobstrand::cli
