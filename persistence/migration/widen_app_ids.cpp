#include "persistence/migration/widen_app_ids.hpp"

#include "persistence/migration/ddl.hpp"
#include "persistence/sql/dialect.hpp"
#include "schema/tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

namespace jobstrand::persistence {

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
