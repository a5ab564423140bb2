#include "persistence/live_schema.hpp"

#include <algorithm>

namespace jobstrand::persistence {
namespace {

using schema::DatabaseKind;

/// Table, column, type.
std::string_view columns_of_all_tables(DatabaseKind kind) {
    switch (kind) {
        case DatabaseKind::sqlite:
            return "SELECT t.name, c.name, c.type"
                   " FROM sqlite_master t, pragma_table_info(t.name) c"
                   " WHERE t.type = 'table'";
        case DatabaseKind::mysql:
            return "SELECT table_name, column_name, data_type"
                   " FROM information_schema.columns WHERE table_schema = DATABASE()";
        case DatabaseKind::postgresql:
            return "SELECT table_name, column_name, data_type"
                   " FROM information_schema.columns WHERE table_schema = current_schema()";
    }
    return {};
}

/// Table, index.
std::string_view indexes_of_all_tables(DatabaseKind kind) {
    switch (kind) {
        case DatabaseKind::sqlite:
            return "SELECT tbl_name, name FROM sqlite_master WHERE type = 'index'";
        case DatabaseKind::mysql:
            return "SELECT DISTINCT table_name, index_name"
                   " FROM information_schema.statistics WHERE table_schema = DATABASE()";
        case DatabaseKind::postgresql:
            return "SELECT tablename, indexname"
                   " FROM pg_indexes WHERE schemaname = current_schema()";
    }
    return {};
}

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
    const DatabaseKind kind = connection.kind();
    connection.query({.sql = columns_of_all_tables(kind), .columns = 3}, {}, add_column);
    connection.query({.sql = indexes_of_all_tables(kind), .columns = 2}, {}, add_index);
    return live;
}

}  // namespace jobstrand::persistence
