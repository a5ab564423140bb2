#include "persistence/migration/ddl.hpp"

#include "schema/job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
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

void append_indexes(
    std::vector<std::string>& statements,
    const Table& table,
    const Dialect& dialect
) {
    for (const Index& index : table.indexes) {
        statements.push_back(create_index(table.name, index, dialect));
    }
}

/// Of the tables with these names; of all of them if there are none.
std::vector<std::string> create_tables_and_indexes(
    const Dialect& dialect,
    std::initializer_list<std::string_view> names = {}
) {
    std::vector<std::string> statements;
    for (const Table& table : schema::tables()) {
        if (names.size() == 0 || std::ranges::find(names, table.name) != names.end()) {
            statements.push_back(create_table(table, dialect));
            append_indexes(statements, table, dialect);
        }
    }
    return statements;
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
            append_indexes(statements, table, dialect);
        }
    }
    return statements;
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

std::string column_change(std::string_view clause, const Column& column, const Dialect& dialect) {
    return fmt::format(
        fmt::runtime(clause),
        column.name,
        dialect.tables.types.of(column.kind),
        column_definition(column, dialect),
        column_default(column, dialect)
    );
}

std::vector<std::string> create_statements(const Dialect& dialect) {
    std::vector<std::string> statements = create_tables_and_indexes(dialect);
    std::ranges::move(job_storage(dialect), std::back_inserter(statements));
    statements.push_back(version_statement(dialect));
    return statements;
}

std::vector<Migration> migrations(const Dialect& dialect) {
    const auto of = [&dialect](std::initializer_list<std::string_view> names) {
        return create_tables_and_indexes(dialect, names);
    };
    return {
        {1, "create the tables", create_tables_and_indexes(dialect)},
        {2, "repeating jobs", of({"JS_SERIES", "JS_CALENDAR"})},
        {3, "what nodes serve", of({"JS_SERVED"})},
        {4, "room for locks", job_storage(dialect)},
        {5, "when jobs became dead letters", create_index_of_dead_letters(dialect)},
        {6, "exclusive jobs", of({"JS_EXCLUSIVE", "JS_WAITING"})},
        {7, "instances of any text", {}},  // What that changes is looked up: widen_app_ids.
        {8, "nodes and their leases", of({"JS_NODE"})},
        {9, "fewer merges of emptied pages", job_storage(dialect)},
        {10, "what nodes run", of({"JS_RUN", "JS_RATE"})},
        {11, "what nodes are limited to", of({"JS_SCOPE"})},
        {12, "unique keys", of({"JS_UNIQUE"})},
        {13, "limits", of({"JS_LIMIT", "JS_LIMITED", "JS_SLOT", "JS_LIMIT_WAITING"})},
        {14, "what people changed, and requests that come again", of({"JS_AUDIT", "JS_REQUEST"})},
        {15, "the past of jobs", of({"ACT_HI_JOB_LOG", "ACT_RU_INCIDENT", "ACT_HI_INCIDENT"})},
        {16, "job definitions", of({"ACT_RU_JOBDEF"})},
        {17, "whose a row is", {}},  // What that changes is looked up: set_defaults.
        {18, "bulk operations", of({"JS_BATCH"})},
        {19, "claims of pages", of({"JS_CLAIM"})},
        {20, "what external workers ask for", of({"JS_ASKED"})},
        {21, "what has ended", of({"JS_ENDED_RUN", "JS_THROUGHPUT"})},
        {22, "what runs tell", of({"JS_RUN_NEWS"})},
        {23, "what series keep of their turns, and locks by name", of({"JS_LOCK"})},
        {24, "whom jobs are linked to", {}},  // Columns alone, which are added before the steps.
    };
}

}  // namespace jobstrand::persistence
