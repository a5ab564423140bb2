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

}  // namespace

LiveSchema read_live_schema(Connection& connection) {
    LiveSchema live;
    const auto add_column = [&live](const Row& row) {
        live[in_capitals(row.text(0))].columns.emplace(in_capitals(row.text(1)), row.text(2));
    };
    const auto add_index = [&live](const Row& row) {
        live[in_capitals(row.text(0))].indexes.insert(in_capitals(row.text(1)));
    };
    const TableDialect& tables = connection.dialect().tables;
    connection.query({.sql = tables.all_columns, .columns = 3}, {}, add_column);
    connection.query({.sql = tables.all_indexes, .columns = 2}, {}, add_index);
    return live;
}

}  // namespace jobstrand::persistence
