#include "persistence/drivers/database.hpp"
#include "persistence/drivers/database_url.hpp"
#include "persistence/drivers/driver.hpp"
#include "persistence/migration/ddl.hpp"
#include "persistence/migration/schema_check.hpp"
#include "persistence/migration/schema_migration.hpp"
#include "persistence/migration/table_changes.hpp"
#include "persistence/sql/db_error.hpp"
#include "tools/operations/nouns.hpp"
#include "tools/output/record_writer.hpp"
#include "tools/process/exit_code.hpp"
#include "tools/session/session.hpp"
#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

namespace jobstrand::cli {

using persistence::Dialect;
using persistence::SchemaFinding;
using persistence::SchemaReport;
using persistence::SessionPool;

namespace {

void write_statements(std::ostream& out, const std::vector<std::string>& statements) {
    for (const std::string& statement : statements) {
        std::istringstream lines(statement + ';');
        for (std::string line; std::getline(lines, line);) {
            out << "  " << printable(line) << '\n';
        }
    }
}

void write_for_people(std::ostream& out, const SchemaReport& report) {
    for (const SchemaFinding& difference : report.differences) {
        out << printable(difference.description) << '\n';
        write_statements(out, difference.mend);
    }
    if (report.differences.empty()) {
        out << "the tables are as this program expects them\n";
    }
    for (const SchemaFinding& remark : report.remarks) {
        out << "remark: " << printable(remark.description) << '\n';
        write_statements(out, remark.mend);
    }
}

[[nodiscard]] Record schema_record_of(const SchemaFinding& found, bool is_remark) {
    RecordField mend = texts_field("mend", found.mend);
    mend.text = fmt::format("{}", fmt::join(found.mend, ";\n"));
    return {
        text_field("table", found.table),
        text_field("description", found.description),
        flag_field("remark", is_remark),
        std::move(mend),
    };
}

/// Writes what `schema check` has found: for people with the statements ready to be pasted, in the
/// other formats one record for each difference and each remark.
void write_schema_report(Session& session, const SchemaReport& report) {
    std::ostream& out = session.streams().out;
    if (session.format() == OutputFormat::table) {
        write_for_people(out, report);
        return;
    }
    const std::vector<TableColumn> no_table;
    RecordWriter writer(out, session.format(), no_table);
    for (const SchemaFinding& difference : report.differences) {
        writer.add(schema_record_of(difference, false));
    }
    for (const SchemaFinding& remark : report.remarks) {
        writer.add(schema_record_of(remark, true));
    }
    writer.finish();
}

struct SchemaOptions {
    std::optional<std::string> dialect;
    bool with_optional_indexes = false;
    bool with_datetimes = false;
};

struct IndexOptions {
    std::string name;
    bool create = false;
    bool drop = false;
};

[[nodiscard]] std::unique_ptr<SessionPool> open(Session& session, bool create_if_missing) {
    return persistence::open_database(
        persistence::parse_database_url(session.database_url()).value(),
        {.create_if_missing = create_if_missing}
    );
}

void print_upgrade(Session& session, const persistence::UpgradeResult& result) {
    std::string what = fmt::format("the tables have version {} already", result.to);
    if (result.from == 0) {
        what = fmt::format("created the tables of version {}", result.to);
    } else if (result.from != result.to) {
        what = fmt::format("upgraded the tables from version {} to {}", result.from, result.to);
    }
    session.streams().out << what << '\n';
}

[[nodiscard]] const Dialect& dialect_of(Session& session, const std::optional<std::string>& name) {
    if (!name) {
        const auto url = persistence::parse_database_url(session.database_url());
        return persistence::driver_of(url.value()).dialect;
    }
    const persistence::Driver* const driver = persistence::find_driver(*name);
    if (driver == nullptr) {
        throw WrongUsage(
            "--dialect must be {}, not {}", persistence::driver_names(), quoted_if_needed(*name)
        );
    }
    return driver->dialect;
}

[[nodiscard]] std::string index_names() {
    std::vector<std::string_view> names;
    for (const schema::OptionalIndex& index : schema::optional_indexes()) {
        names.push_back(index.name);
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

[[nodiscard]] const schema::OptionalIndex& index_named(const std::string& name) {
    const auto all = schema::optional_indexes();
    const auto found = std::ranges::find(all, name, &schema::OptionalIndex::name);
    if (found == all.end()) {
        throw WrongUsage(
            "there is no index {}; there are {}", quoted_if_needed(name), index_names()
        );
    }
    return *found;
}

/// Says once why nothing seems to happen.
[[nodiscard]] persistence::TablePatience table_patience_of(Session& session) {
    return {.on_wait = [&session, is_told = false]() mutable {
        if (!std::exchange(is_told, true)) {
            session.tell("the tables are in use by an open transaction; it is tried again");
        }
    }};
}

/// Refuses tables of others under our names.
[[nodiscard]] ExitCode create_schema(Session& session, const SchemaOptions&) {
    const auto pool = open(session, true);
    const auto connection = pool->lease(SessionPool::Access::write);
    print_upgrade(session, persistence::upgrade_schema(*connection));
    return ExitCode::done;
}

/// Adds to tables of others what they lack.
[[nodiscard]] ExitCode upgrade_existing_schema(Session& session, const SchemaOptions& options) {
    const auto pool = open(session, false);
    const auto connection = pool->lease(SessionPool::Access::write);
    const bool is_new = !persistence::schema_version(*connection);
    if (is_new && !persistence::has_others_tables(*connection)) {
        persistence::require_current_schema(*connection);
    }
    const auto result = persistence::upgrade_schema(
        *connection, persistence::OthersTables::take_over, table_patience_of(session)
    );
    if (is_new) {
        session.streams().out << fmt::format(
            "added to the tables that were there what version {} needs\n", result.to
        );
    } else {
        print_upgrade(session, result);
    }
    if (options.with_datetimes) {
        session.streams().out
            << (persistence::make_times_last(*connection)
                    ? "times are kept in a type that lasts now\n"
                    : "times are kept in a type that lasts already\n");
    }
    return ExitCode::done;
}

/// Prints each difference with the statements that mend it, and then remarks; check_found when
/// there is a difference.
[[nodiscard]] ExitCode check_live_schema(Session& session, const SchemaOptions&) {
    const auto pool = open(session, false);
    const auto connection = pool->lease(SessionPool::Access::read);
    persistence::SchemaReport report = persistence::check_schema(*connection);
    if (report.differences.empty()) {
        persistence::check_rows(*connection, report);
    }
    write_schema_report(session, report);
    return report.differences.empty() ? ExitCode::done : ExitCode::check_found;
}

/// Needs no database when --dialect says which one is meant.
[[nodiscard]] ExitCode print_schema(Session& session, const SchemaOptions& options) {
    const Dialect& dialect = dialect_of(session, options.dialect);
    std::vector<std::string> statements = persistence::create_statements(dialect);
    if (options.with_optional_indexes) {
        for (const schema::OptionalIndex& index : schema::optional_indexes()) {
            statements.push_back(persistence::create_index(index.table, index.index, dialect));
        }
    }
    for (const std::string& statement : statements) {
        session.streams().out << statement << ";\n";
    }
    return ExitCode::done;
}

/// Creates or drops an index that only some setting needs, or tells whether it is there.
[[nodiscard]] ExitCode change_index(Session& session, const IndexOptions& options) {
    const schema::OptionalIndex& index = index_named(options.name);
    const auto pool = open(session, false);
    const auto connection = pool->lease(
        options.create || options.drop ? SessionPool::Access::write : SessionPool::Access::read
    );
    persistence::require_current_schema(*connection);
    std::string_view what =
        persistence::has_index(*connection, index) ? "is there" : "is not there";
    if (options.create) {
        what = persistence::create_index(*connection, index, table_patience_of(session))
                   ? "created"
                   : "was there already";
    } else if (options.drop) {
        what = persistence::drop_index(*connection, index, table_patience_of(session))
                   ? "dropped"
                   : "was not there";
    }
    session.streams().out << fmt::format("{} of {}: {}\n", index.index.name, index.table, what);
    return ExitCode::done;
}

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
