#pragma once

#include "persistence/sql/dialect.hpp"
#include "schema/tables.hpp"

#include <string>
#include <string_view>
#include <vector>

/// The DDL of every database. Each statement is given without a final semicolon and may be run
/// again: it then changes nothing. The exceptions are add_column, drop_index, and create_index on
/// MySQL (not on MariaDB), which answers 1061 when the index exists.
namespace jobstrand::persistence {

/// `CREATE TABLE IF NOT EXISTS ...`, formatted for a reader.
[[nodiscard]] std::string create_table(const schema::Table& table, const Dialect& dialect);

/// `CREATE INDEX ...`, with a comment that says which query it serves. `concurrently`: see
/// TableDialect.
[[nodiscard]] std::string create_index(
    std::string_view table,
    const schema::Index& index,
    const Dialect& dialect,
    std::string_view concurrently = {}
);

/// `DROP INDEX ...`; an error where it does not exist.
[[nodiscard]] std::string drop_index(const schema::OptionalIndex& index, const Dialect& dialect);

/// `ALTER TABLE ... ADD COLUMN ...`.
[[nodiscard]] std::string
add_column(const schema::Table& table, const schema::Column& column, const Dialect& dialect);

/// The type of a column and all that stands behind it in a CREATE TABLE.
[[nodiscard]] std::string column_definition(const schema::Column& column, const Dialect& dialect);

/// The default of a column in SQL; empty: it has none.
[[nodiscard]] std::string_view column_default(const schema::Column& column, const Dialect& dialect);

/// A clause of Catalog::changes for one column; empty where the database has none.
[[nodiscard]] std::string
column_change(std::string_view clause, const schema::Column& column, const Dialect& dialect);

/// Everything that an empty database needs, the row with the version included, statement by
/// statement; `schema print` shows it.
[[nodiscard]] std::vector<std::string> create_statements(const Dialect& dialect);

/// One numbered step from version - 1 to version; whoever runs it has added the columns that tables
/// lack before, and records the version. Steps are never edited once released.
struct Migration {
    int version = 0;
    std::string_view description;
    std::vector<std::string> statements;
};

/// All steps in ascending order; step 1 creates the tables.
[[nodiscard]] std::vector<Migration> migrations(const Dialect& dialect);

}  // namespace jobstrand::persistence
