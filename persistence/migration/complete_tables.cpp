#include "persistence/migration/complete_tables.hpp"

#include "persistence/migration/check_tables.hpp"
#include "persistence/migration/ddl.hpp"
#include "persistence/sql/db_error.hpp"
#include "persistence/sql/dialect.hpp"
#include "schema/tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

namespace jobstrand::persistence {

namespace {

void add_columns(Connection& connection, const schema::Table& table, const LiveTable& live) {
    for (const schema::Column& column : table.columns) {
        if (!live.columns.contains(column.name)) {
            run_unless_done(connection, add_column(table, column, connection.dialect()));
        }
    }
}

bool lacks_default(const schema::Column& column, const LiveTable& live, const Dialect& dialect) {
    const auto found = live.columns.find(column.name);
    return found != live.columns.end() && !column_default(column, dialect).empty() &&
           !has_expected_default(column, found->second, dialect);
}

/// One statement for all columns of a table; no row is written anew.
void set_defaults(Connection& connection, const schema::Table& table, const LiveTable& live) {
    const Dialect& dialect = connection.dialect();
    const std::string_view clause = dialect.tables.catalog.changes.set_default;
    std::vector<std::string> clauses;
    for (const schema::Column& column : table.columns) {
        if (!clause.empty() && lacks_default(column, live, dialect)) {
            clauses.push_back(fmt::format(
                fmt::runtime(clause),
                column.name,
                dialect.tables.types.of(column.kind),
                column_definition(column, dialect),
                column_default(column, dialect)
            ));
        }
    }
    if (!clauses.empty()) {
        connection.run_script(fmt::format("ALTER TABLE {} {}", table.name, fmt::join(clauses, ", "))
        );
    }
}

}  // namespace

void complete_tables(Connection& connection, const LiveSchema& live) {
    for (const schema::Table& table : schema::tables()) {
        if (const auto found = live.find(table.name); found != live.end()) {
            add_columns(connection, table, found->second);
            set_defaults(connection, table, found->second);
        }
    }
}

void run_unless_done(Connection& connection, std::string_view statement) {
    // Defended catch: only an error tells that something exists already.
    try {
        connection.run_script(statement);
    } catch (const DbError& error) {
        const bool was_done = !connection.dialect().tables.is_transactional &&
                              error.kind() == DbErrorKind::duplicate_key;
        if (!was_done) {
            throw;
        }
    }
}

namespace {

bool is_narrow(const LiveTable& table, const schema::Column& column, std::string_view earlier) {
    const auto found = table.columns.find(column.name);
    return column.kind == schema::ColumnKind::app_id && found != table.columns.end() &&
           found->second.collation == earlier;
}

std::string widening_of(const schema::Column& column, const Dialect& dialect) {
    return fmt::format(
        fmt::runtime(dialect.tables.catalog.changes.set_type),
        column.name,
        dialect.tables.types.of(column.kind),
        column_definition(column, dialect)
    );
}

}  // namespace

void widen_app_ids(Connection& connection, const LiveSchema& live) {
    const Dialect& dialect = connection.dialect();
    if (dialect.tables.earlier_app_ids.empty()) {
        return;
    }
    for (const schema::Table& table : schema::tables()) {
        const auto found = live.find(table.name);
        if (found == live.end()) {
            continue;
        }
        std::vector<std::string> clauses;
        for (const schema::Column& column : table.columns) {
            if (is_narrow(found->second, column, dialect.tables.earlier_app_ids)) {
                clauses.push_back(widening_of(column, dialect));
            }
        }
        if (!clauses.empty()) {
            connection.run_script(
                fmt::format("ALTER TABLE {} {}", table.name, fmt::join(clauses, ", "))
            );
        }
    }
}

}  // namespace jobstrand::persistence
