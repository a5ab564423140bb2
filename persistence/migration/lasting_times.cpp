#include "persistence/migration/lasting_times.hpp"

#include "persistence/migration/ddl.hpp"
#include "persistence/migration/live_schema.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/schema_lock.hpp"
#include "schema/tables.hpp"

#include <fmt/format.h>

#include <ranges>
#include <string>

namespace jobstrand::persistence {

namespace {

/// Empty: the table has no times.
std::string statement_for(const schema::Table& table, const Dialect& lasting) {
    std::string clauses;
    for (const schema::Column& column : table.columns) {
        if (column.kind == schema::ColumnKind::timestamp) {
            clauses += fmt::format(
                fmt::runtime(lasting.tables.catalog.changes.set_type),
                column.name,
                lasting.tables.types.of(column.kind),
                column_definition(column, lasting)
            );
            clauses += ", ";
        }
    }
    if (clauses.empty()) {
        return {};
    }
    clauses.resize(clauses.size() - 2);
    return fmt::format("ALTER TABLE {} {}", table.name, clauses);
}

}  // namespace

bool have_times_an_early_end(const Connection& connection) {
    return connection.dialect().tables.lasting_times != nullptr;
}

bool make_times_last(Connection& connection) {
    const Dialect* const lasting = connection.dialect().tables.lasting_times;
    if (lasting == nullptr) {
        return false;
    }
    const auto lock = connection.dialect().tables.lock(connection);
    const LiveSchema live = read_live_schema(connection);
    // The first table, by which connections tell what there is, comes when the others are done.
    for (const schema::Table& table : schema::tables() | std::views::reverse) {
        const std::string statement = statement_for(table, *lasting);
        if (!statement.empty() && live.contains(table.name)) {
            connection.run_script(statement);
        }
    }
    lock->keep_changes();
    return true;
}

}  // namespace jobstrand::persistence
