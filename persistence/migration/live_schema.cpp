#include "persistence/migration/live_schema.hpp"

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
            // The catalog, because the information schema hides what the user has no rights on;
            // and what a name without a schema stands for.
            return "SELECT t.relname, c.attname, format_type(c.atttypid, NULL)"
                   " FROM pg_class t JOIN pg_attribute c ON c.attrelid = t.oid"
                   " WHERE t.relkind IN ('r', 'p') AND pg_table_is_visible(t.oid)"
                   " AND t.relnamespace <> 'pg_catalog'::regnamespace"
                   " AND c.attnum > 0 AND NOT c.attisdropped";
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
            return "SELECT t.relname, i.relname FROM pg_index x"
                   " JOIN pg_class t ON t.oid = x.indrelid"
                   " JOIN pg_class i ON i.oid = x.indexrelid"
                   " WHERE pg_table_is_visible(t.oid) AND x.indisvalid"
                   " AND t.relnamespace <> 'pg_catalog'::regnamespace";
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
