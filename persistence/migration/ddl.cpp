#include "persistence/migration/ddl.hpp"

#include "schema/job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace jobstrand::persistence {
namespace {

using schema::Column;
using schema::ColumnKind;
using schema::Index;
using schema::Table;

/// On a line of its own, because it is long; empty: anything may stand there.
std::string constraint_on(const Table& table, const Column& column, const TableDialect& dialect) {
    const auto check = std::ranges::find(dialect.checks, column.name, &ColumnCheck::column);
    return check == dialect.checks.end() || !schema::holds_jobs(table.name)
               ? ""
               : fmt::format(
                     "\n        CONSTRAINT \"{}\" CHECK ({})", check->name, check->condition
                 );
}

std::size_t longest_name(const Table& table) {
    return std::ranges::max(
               table.columns, {}, [](const Column& column) { return column.name.size(); }
    ).name.size();
}

std::vector<std::string>
create_tables_and_indexes(const Dialect& dialect, bool (*is_wanted)(const Table&)) {
    std::vector<std::string> statements;
    for (const Table& table : schema::tables()) {
        if (!is_wanted(table)) {
            continue;
        }
        statements.push_back(create_table(table, dialect));
        for (const Index& index : table.indexes) {
            statements.push_back(create_index(table.name, index, dialect));
        }
    }
    return statements;
}

bool is_any(const Table& /*table*/) {
    return true;
}

bool is_about_series(const Table& table) {
    return table.name == "JS_SERIES" || table.name == "JS_CALENDAR";
}

bool is_about_what_nodes_serve(const Table& table) {
    return table.name == "JS_SERVED";
}

bool is_about_leases(const Table& table) {
    return table.name == "JS_NODE";
}

bool is_about_work(const Table& table) {
    return table.name == "JS_RUN" || table.name == "JS_RATE";
}

bool is_about_scopes(const Table& table) {
    return table.name == "JS_SCOPE";
}

bool is_about_unique_keys(const Table& table) {
    return table.name == "JS_UNIQUE";
}

std::vector<std::string> job_storage(const Dialect& dialect) {
    const std::string_view statement = dialect.tables.job_storage;
    return statement.empty() ? std::vector<std::string>{} : std::vector{std::string(statement)};
}

/// The column itself is added before the steps.
std::vector<std::string> create_index_of_dead_letters(const Dialect& dialect) {
    std::vector<std::string> statements;
    for (const Table& table : schema::tables()) {
        if (table.name == schema::table_of(schema::JobPlace::dead_letter)) {
            for (const Index& index : table.indexes) {
                statements.push_back(create_index(table.name, index, dialect));
            }
        }
    }
    return statements;
}

bool is_about_exclusive_jobs(const Table& table) {
    return table.name == "JS_EXCLUSIVE" || table.name == "JS_WAITING";
}

bool is_about_limits(const Table& table) {
    return table.name == "JS_LIMIT" || table.name == "JS_LIMITED" || table.name == "JS_SLOT" ||
           table.name == "JS_LIMIT_WAITING";
}

bool is_about_audits_and_requests(const Table& table) {
    return table.name == "JS_AUDIT" || table.name == "JS_REQUEST";
}

bool is_about_history(const Table& table) {
    return table.name == "ACT_HI_JOB_LOG" || table.name == "ACT_RU_INCIDENT" ||
           table.name == "ACT_HI_INCIDENT";
}

bool is_about_definitions(const Table& table) {
    return table.name == "ACT_RU_JOBDEF";
}

bool is_about_claims(const Table& table) {
    return table.name == "JS_CLAIM";
}

bool is_about_external_workers(const Table& table) {
    return table.name == "JS_ASKED";
}

bool is_about_what_ended(const Table& table) {
    return table.name == "JS_ENDED_RUN" || table.name == "JS_THROUGHPUT";
}

bool is_about_named_locks(const Table& table) {
    return table.name == "JS_LOCK";
}

bool is_about_run_news(const Table& table) {
    return table.name == "JS_RUN_NEWS";
}

bool is_about_batches(const Table& table) {
    return table.name == "JS_BATCH";
}

std::string version_statement(const Dialect& dialect) {
    return fmt::format(
        "{} INTO ACT_GE_PROPERTY (NAME_, VALUE_, REV_)\nVALUES ('{}', '{}', 1){}{}",
        dialect.insert_if_absent,
        schema::kSchemaVersionProperty,
        schema::kSchemaVersion,
        dialect.if_absent.empty() ? "" : "\n",
        dialect.if_absent
    );
}

}  // namespace

std::string_view column_default(const Column& column, const Dialect& dialect) {
    if (column.default_value == "scope") {
        return dialect.tables.scope;
    }
    return column.default_value == "now" ? dialect.tables.now : column.default_value;
}

std::string column_definition(const Column& column, const Dialect& dialect) {
    std::string text(dialect.tables.types.of(column.kind));
    if (column.required) {
        text += " NOT NULL";
    } else if (column.kind == ColumnKind::timestamp) {
        text += dialect.tables.optional_time;
    }
    if (const std::string_view value = column_default(column, dialect); !value.empty()) {
        text += fmt::format(" DEFAULT {}", value);
    }
    return text;
}

std::string create_table(const Table& table, const Dialect& dialect) {
    std::string sql = fmt::format("CREATE TABLE IF NOT EXISTS {} (\n", table.name);
    const std::size_t width = longest_name(table);
    for (const Column& column : table.columns) {
        sql += fmt::format(
            "    {:<{}} {}{},\n",
            column.name,
            width,
            column_definition(column, dialect),
            constraint_on(table, column, dialect.tables)
        );
    }
    sql += fmt::format("    PRIMARY KEY ({})\n)", table.primary_key);
    return sql += dialect.tables.table_options;
}

std::string create_index(
    std::string_view table,
    const Index& index,
    const Dialect& dialect,
    std::string_view concurrently
) {
    std::string sql = fmt::format(
        "-- Serves: {}.\nCREATE INDEX {}{}{} {} ON {} ({})",
        index.serves,
        concurrently,
        concurrently.empty() ? "" : " ",
        dialect.tables.if_index_is_absent,
        index.name,
        table,
        index.columns
    );
    if (dialect.tables.has_partial_indexes && !index.partial_condition.empty()) {
        sql += fmt::format(" WHERE {}", index.partial_condition);
    }
    return sql;
}

std::string drop_index(const schema::OptionalIndex& index, const Dialect& dialect) {
    return fmt::format(fmt::runtime(dialect.tables.drop_index), index.index.name, index.table);
}

std::string add_column(const Table& table, const Column& column, const Dialect& dialect) {
    return fmt::format(
        "ALTER TABLE {} ADD COLUMN {} {}{}",
        table.name,
        column.name,
        column_definition(column, dialect),
        constraint_on(table, column, dialect.tables)
    );
}

std::vector<std::string> create_statements(const Dialect& dialect) {
    std::vector<std::string> statements = create_tables_and_indexes(dialect, is_any);
    std::ranges::move(job_storage(dialect), std::back_inserter(statements));
    statements.push_back(version_statement(dialect));
    return statements;
}

std::vector<Migration> migrations(const Dialect& dialect) {
    return {
        {1, "create the tables", create_tables_and_indexes(dialect, is_any)},
        {2, "repeating jobs", create_tables_and_indexes(dialect, is_about_series)},
        {3, "what nodes serve", create_tables_and_indexes(dialect, is_about_what_nodes_serve)},
        {4, "room for locks", job_storage(dialect)},
        {5, "when jobs became dead letters", create_index_of_dead_letters(dialect)},
        {6, "exclusive jobs", create_tables_and_indexes(dialect, is_about_exclusive_jobs)},
        {7, "instances of any text", {}},  // What that changes is looked up: widen_app_ids.
        {8, "nodes and their leases", create_tables_and_indexes(dialect, is_about_leases)},
        {9, "fewer merges of emptied pages", job_storage(dialect)},
        {10, "what nodes run", create_tables_and_indexes(dialect, is_about_work)},
        {11, "what nodes are limited to", create_tables_and_indexes(dialect, is_about_scopes)},
        {12, "unique keys", create_tables_and_indexes(dialect, is_about_unique_keys)},
        {13, "limits", create_tables_and_indexes(dialect, is_about_limits)},
        {14,
         "what people changed, and requests that come again",
         create_tables_and_indexes(dialect, is_about_audits_and_requests)},
        {15, "the past of jobs", create_tables_and_indexes(dialect, is_about_history)},
        {16, "job definitions", create_tables_and_indexes(dialect, is_about_definitions)},
        {17, "whose a row is", {}},  // What that changes is looked up: set_defaults.
        {18, "bulk operations", create_tables_and_indexes(dialect, is_about_batches)},
        {19, "claims of pages", create_tables_and_indexes(dialect, is_about_claims)},
        {20,
         "what external workers ask for",
         create_tables_and_indexes(dialect, is_about_external_workers)},
        {21, "what has ended", create_tables_and_indexes(dialect, is_about_what_ended)},
        {22, "what runs tell", create_tables_and_indexes(dialect, is_about_run_news)},
        {23,
         "what series keep of their turns, and locks by name",
         create_tables_and_indexes(dialect, is_about_named_locks)},
        {24, "whom jobs are linked to", {}},  // Columns alone, which are added before the steps.
    };
}

}  // namespace jobstrand::persistence
