#pragma once

#include "schema/database_kind.hpp"
#include "schema/tables.hpp"

#include <string>
#include <string_view>
#include <vector>

/// The DDL of every database. Each statement is given without a final semicolon and may be run
/// again: it then changes nothing. The exceptions are add_column, drop_index, and create_index on
/// MySQL (not on MariaDB), which answers 1061 when the index exists.
namespace jobstrand::schema {

/// The version of the tables that this program reads and writes. Raised by every migration.
inline constexpr int kSchemaVersion = 2;

/// The row of ACT_GE_PROPERTY whose VALUE_ is the version that a database has.
inline constexpr std::string_view kSchemaVersionProperty = "jobstrand.schema.version";

/// `CREATE TABLE IF NOT EXISTS ...`, formatted for a reader.
[[nodiscard]] std::string create_table(const Table& table, DatabaseKind kind);

/// `CREATE INDEX ...`, with a comment that says which query it serves.
[[nodiscard]] std::string
create_index(std::string_view table, const Index& index, DatabaseKind kind);

/// `DROP INDEX ...`; an error where it does not exist.
[[nodiscard]] std::string drop_index(const OptionalIndex& index, DatabaseKind kind);

/// `ALTER TABLE ... ADD COLUMN ...`.
[[nodiscard]] std::string add_column(const Table& table, const Column& column, DatabaseKind kind);

/// Everything that an empty database needs, the row with the version included, statement by
/// statement; `schema print` shows it.
[[nodiscard]] std::vector<std::string> create_statements(DatabaseKind kind);

/// One numbered step from version - 1 to version; whoever runs it has added the columns that tables
/// lack before, and records the version. Steps are never edited once released.
struct Migration {
    int version = 0;
    std::string_view description;
    std::vector<std::string> statements;
};

/// All steps in ascending order; step 1 creates the tables.
[[nodiscard]] std::vector<Migration> migrations(DatabaseKind kind);

}  // namespace jobstrand::schema
