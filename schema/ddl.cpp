#include "schema/ddl.hpp"

#include <algorithm>
#include <string>

namespace jobstrand::schema {
namespace {

std::string_view mysql_type(ColumnKind kind) {
    switch (kind) {
        case ColumnKind::id:
            return "varchar(64) CHARACTER SET ascii COLLATE ascii_bin";
        case ColumnKind::name:
            return "varchar(255)";
        case ColumnKind::value:
            return "varchar(300)";
        case ColumnKind::message:
            return "varchar(4000)";
        case ColumnKind::integer:
            return "integer";
        case ColumnKind::big_integer:
            return "bigint";
        case ColumnKind::boolean:
            return "boolean";
        case ColumnKind::timestamp:
            return "timestamp(3)";
        case ColumnKind::bytes:
            return "longblob";
    }
    return {};
}

std::string_view postgresql_type(ColumnKind kind) {
    switch (kind) {
        case ColumnKind::id:
            return "varchar(64) COLLATE \"C\"";
        case ColumnKind::bytes:
            return "bytea";
        // The rest is written as on MySQL.
        case ColumnKind::name:
        case ColumnKind::value:
        case ColumnKind::message:
        case ColumnKind::integer:
        case ColumnKind::big_integer:
        case ColumnKind::boolean:
        case ColumnKind::timestamp:
            return mysql_type(kind);
    }
    return {};
}

/// SQLite enforces no lengths. Times are texts, `YYYY-MM-DD HH:MM:SS.SSS`, so that they sort.
std::string_view sqlite_type(ColumnKind kind) {
    switch (kind) {
        case ColumnKind::id:
        case ColumnKind::name:
        case ColumnKind::value:
        case ColumnKind::message:
        case ColumnKind::timestamp:
            return "TEXT";
        case ColumnKind::integer:
        case ColumnKind::boolean:
            return "INTEGER";
        case ColumnKind::big_integer:
            return "BIGINT";
        case ColumnKind::bytes:
            return "BLOB";
    }
    return {};
}

std::string_view type_of(ColumnKind kind, DatabaseKind database) {
    switch (database) {
        case DatabaseKind::sqlite:
            return sqlite_type(kind);
        case DatabaseKind::mysql:
            return mysql_type(kind);
        case DatabaseKind::postgresql:
            return postgresql_type(kind);
    }
    return {};
}

std::string_view now_of(DatabaseKind database) {
    switch (database) {
        case DatabaseKind::sqlite:
            return "(strftime('%Y-%m-%d %H:%M:%f', 'now'))";
        case DatabaseKind::mysql:
            return "CURRENT_TIMESTAMP(3)";
        case DatabaseKind::postgresql:
            return "(now() AT TIME ZONE 'UTC')";
    }
    return {};
}

std::string definition(const Column& column, DatabaseKind kind) {
    std::string text(type_of(column.kind, kind));
    if (column.required) {
        text += " NOT NULL";
    } else if (kind == DatabaseKind::mysql && column.kind == ColumnKind::timestamp) {
        // Without the word, older servers make a timestamp NOT NULL and update it by themselves.
        text += " NULL";
    }
    if (!column.default_value.empty()) {
        text += " DEFAULT ";
        text += column.default_value == "now" ? now_of(kind) : column.default_value;
    }
    return text;
}

std::size_t longest_name(const Table& table) {
    return std::ranges::max(
               table.columns, {}, [](const Column& column) { return column.name.size(); }
    ).name.size();
}

/// SQLite tables keep their rowid. WITHOUT ROWID was measured with these columns: it claims pages
/// 8-10 % slower with payloads up to 500 bytes and 40 % slower with 3,000; only deletes of small
/// rows get faster.
std::string_view table_options(DatabaseKind kind) {
    return kind == DatabaseKind::mysql
               ? " ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin"
               : "";
}

/// MySQL has no IF NOT EXISTS for indexes; MariaDB has, and reads what stands in such a comment.
std::string_view if_not_exists(DatabaseKind kind) {
    return kind == DatabaseKind::mysql ? "/*M! IF NOT EXISTS */" : "IF NOT EXISTS";
}

std::vector<std::string>
create_tables_and_indexes(DatabaseKind kind, bool (*is_wanted)(const Table&)) {
    std::vector<std::string> statements;
    for (const Table& table : tables()) {
        if (!is_wanted(table)) {
            continue;
        }
        statements.push_back(create_table(table, kind));
        for (const Index& index : table.indexes) {
            statements.push_back(create_index(table.name, index, kind));
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

std::string record_version(DatabaseKind kind) {
    const bool mysql = kind == DatabaseKind::mysql;
    return std::string(mysql ? "INSERT IGNORE" : "INSERT") +
           " INTO ACT_GE_PROPERTY (NAME_, VALUE_, REV_)\nVALUES ('" +
           std::string(kSchemaVersionProperty) + "', '" + std::to_string(kSchemaVersion) + "', 1)" +
           (mysql ? "" : "\nON CONFLICT DO NOTHING");
}

}  // namespace

std::string create_table(const Table& table, DatabaseKind kind) {
    std::string sql = "CREATE TABLE IF NOT EXISTS " + std::string(table.name) + " (\n";
    const std::size_t width = longest_name(table) + 1;
    for (const Column& column : table.columns) {
        std::string name(column.name);
        name.resize(width, ' ');
        sql += "    " + name + definition(column, kind) + ",\n";
    }
    sql += "    PRIMARY KEY (" + std::string(table.primary_key) + ")\n)";
    return sql += table_options(kind);
}

std::string create_index(std::string_view table, const Index& index, DatabaseKind kind) {
    std::string sql = "-- Serves: " + std::string(index.serves) + ".\nCREATE INDEX " +
                      std::string(if_not_exists(kind)) + ' ' + std::string(index.name) + " ON " +
                      std::string(table) + " (" + std::string(index.columns) + ')';
    if (kind == DatabaseKind::postgresql && !index.postgresql_condition.empty()) {
        sql += " WHERE " + std::string(index.postgresql_condition);
    }
    return sql;
}

std::string drop_index(const OptionalIndex& index, DatabaseKind kind) {
    const std::string sql = "DROP INDEX " + std::string(index.index.name);
    return kind == DatabaseKind::mysql ? sql + " ON " + std::string(index.table) : sql;
}

std::string add_column(const Table& table, const Column& column, DatabaseKind kind) {
    return "ALTER TABLE " + std::string(table.name) + " ADD COLUMN " + std::string(column.name) +
           ' ' + definition(column, kind);
}

std::vector<std::string> create_statements(DatabaseKind kind) {
    std::vector<std::string> statements = create_tables_and_indexes(kind, is_any);
    statements.push_back(record_version(kind));
    return statements;
}

std::vector<Migration> migrations(DatabaseKind kind) {
    return {
        {1, "create the tables", create_tables_and_indexes(kind, is_any)},
        {2, "repeating jobs", create_tables_and_indexes(kind, is_about_series)},
    };
}

}  // namespace jobstrand::schema
