#include "persistence/migration/live_schema.hpp"

#include "persistence/sql/dialect.hpp"

#include <algorithm>

namespace jobstrand::persistence {
namespace {

std::string in_capitals(std::string_view name) {
    std::string text(name);
    std::ranges::transform(text, text.begin(), [](char c) {
        return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    });
    return text;
}

LiveColumn column_of(const Row& row) {
    LiveColumn column{.type = std::string(row.text(2)), .is_required = row.boolean(3)};
    // MariaDB has the word NULL where others have nothing.
    if (!row.is_null(4) && in_capitals(row.text(4)) != "NULL") {
        column.default_value = row.text(4);
    }
    column.collation = row.text(5);
    return column;
}

LiveColumn* find_column(LiveSchema& live, const Row& row) {
    const auto table = live.find(in_capitals(row.text(0)));
    if (table == live.end()) {
        return nullptr;
    }
    const auto column = table->second.columns.find(in_capitals(row.text(1)));
    return column == table->second.columns.end() ? nullptr : &column->second;
}

}  // namespace

LiveSchema read_live_schema(Connection& connection) {
    LiveSchema live;
    const auto add_column = [&live](const Row& row) {
        live[in_capitals(row.text(0))].columns.emplace(in_capitals(row.text(1)), column_of(row));
    };
    const auto add_to_index = [&live](const Row& row) {
        const auto found = live.find(in_capitals(row.text(0)));
        if (found == live.end()) {
            return;  // Made since the columns were read: without them it would look like another's.
        }
        LiveTable& table = found->second;
        std::string column = in_capitals(row.text(2));
        if (row.boolean(3)) {
            table.primary_key.push_back(std::move(column));
            return;
        }
        LiveIndex& index = table.indexes[in_capitals(row.text(1))];
        index.columns.push_back(std::move(column));
        index.is_unique = row.boolean(4);
        index.is_partial = row.boolean(5);
    };
    const Catalog& catalog = connection.dialect().tables.catalog;
    connection.query({.sql = catalog.columns, .columns = 6}, {}, add_column);
    connection.query({.sql = catalog.indexes, .columns = 6}, {}, add_to_index);
    if (!catalog.tied_columns.empty()) {
        connection.query({.sql = catalog.tied_columns, .columns = 2}, {}, [&live](const Row& row) {
            if (LiveColumn* const column = find_column(live, row)) {
                column->is_tied = true;
            }
        });
    }
    return live;
}

}  // namespace jobstrand::persistence
