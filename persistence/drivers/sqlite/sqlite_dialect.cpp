#include "persistence/drivers/sqlite/sqlite_dialect.hpp"

#include "persistence/drivers/sqlite/sqlite_catalog.hpp"
#include "persistence/drivers/sqlite/sqlite_json.hpp"
#include "persistence/sql/schema_lock.hpp"
#include "schema/text/iso8601.hpp"

#include <array>

namespace jobstrand::persistence {

namespace {

using schema::ColumnKind;

std::string as_it_is(std::string_view cell) {
    return std::string(cell);
}

/// SQLite enforces no lengths. Times are texts, `YYYY-MM-DD HH:MM:SS.SSS`, so that they sort.
constexpr ColumnTypes kTypes{
    .id = "TEXT",
    .app_id = "TEXT",
    .name = "TEXT",
    .value = "TEXT",
    .message = "TEXT",
    .names = "TEXT",
    .integer = "INTEGER",
    .big_integer = "BIGINT",
    .boolean = "INTEGER",
    .timestamp = "TEXT",
    .bytes = "BLOB",
};

/// SQLite stores any value in any column; these are the ones that would make a job nobody can run.
/// They cost 3 to 6 % of a bare INSERT in memory, and nothing that can be measured of one that
/// waits for the disk. Not REV_ and the lock: every claim would check them again, which costs 30 %
/// of its UPDATE.
constexpr std::array kChecks{
    ColumnCheck{"ID_", "ID_ is a text and not empty", "typeof(ID_) = 'text' AND ID_ <> ''"},
    ColumnCheck{"RETRIES_", "RETRIES_ is an integer", "typeof(RETRIES_) IN ('integer', 'null')"},
    ColumnCheck{
        "DUEDATE_",
        "DUEDATE_ is a text in UTC: YYYY-MM-DD HH:MM:SS.SSS",
        "DUEDATE_ LIKE '____-__-__ __:__:__.___'"},
    ColumnCheck{"PRIORITY_", "PRIORITY_ is an integer", "typeof(PRIORITY_) = 'integer'"},
};

constexpr std::array kOddValues{
    OddValues{
        .kind = ColumnKind::id,
        .condition = "typeof({0}) <> 'text' OR {0} = ''",
        .what = "no text, or empty",
        .mended = "CASE WHEN length({0}) > 0 THEN lower(hex({0}))"
                  " ELSE lower(hex(randomblob(16))) END",
    },
    OddValues{
        .kind = ColumnKind::integer,
        .condition = "typeof({0}) NOT IN ('integer', 'null') OR abs({0}) > 2000000000",
        .what = "no integer, or too large",
        .mended = "{1}",
    },
    OddValues{
        .kind = ColumnKind::big_integer,
        .condition = "typeof({0}) NOT IN ('integer', 'null')",
        .what = "no integer",
        .mended = "{1}",
    },
    OddValues{
        .kind = ColumnKind::timestamp,
        .condition = "{0} NOT LIKE '____-__-__ __:__:__.___'",
        .what = "no text of the form YYYY-MM-DD HH:MM:SS.SSS",
        .mended = "strftime('%Y-%m-%d %H:%M:%f', {0})",
        .mendable = "{0} LIKE '____-__-__%__:__:__%'"
                    " AND strftime('%Y-%m-%d %H:%M:%f', {0}) IS NOT NULL",
    },
};

constexpr TableDialect kTables{
    .types = kTypes,
    .now = "(strftime('%Y-%m-%d %H:%M:%f', 'now'))",
    .optional_time = "",
    // Tables keep their rowid. WITHOUT ROWID was measured with these columns: it claims pages
    // 8-10 % slower with payloads up to 500 bytes and 40 % slower with 3,000; only deletes of small
    // rows get faster.
    .table_options = "",
    .checks = kChecks,
    .odd_values = kOddValues,
    .if_index_is_absent = "IF NOT EXISTS",
    .drop_index = "DROP INDEX {0}",
    // Without a condition it is as fast as TRUNCATE, which SQLite does not have.
    .empty_table = "DELETE FROM {0}",
    .has_partial_indexes = false,
    .adds_computed_columns = false,
    .is_transactional = true,
    .catalog = kSqliteCatalog,
    .lock = lock_as_only_writer,
};

}  // namespace

/// A transaction that writes is alone, so that nothing need be locked.
constinit const Dialect kSqliteDialect{
    .name = "sqlite",
    .for_update = "",
    .skip_locked = "",
    .for_share = "",
    .for_key_share = "",
    .for_no_key_update = "",
    .no_key_skip_locked = "",
    .insert_if_absent = "INSERT",
    .if_absent = "ON CONFLICT DO NOTHING",
    .on_existing = "ON CONFLICT ({0}) DO UPDATE SET",
    .new_value = "excluded.{}",
    .bytes_parameter = "?",
    .bytes_as_text = "BYTES_",
    .size_of_bytes = "LENGTH(CAST(BYTES_ AS BLOB))",
    .text_of_bytes = as_it_is,
    // All bytes are greater than all texts. Two rows have different bytes; a text may be there.
    .name_bytes =
        "UPDATE {0} SET ID_ = lower(hex(ID_)) || CASE"
        " WHEN length(ID_) = 0 OR EXISTS"
        " (SELECT 1 FROM {0} NAMED WHERE NAMED.ID_ = lower(hex({0}.ID_)))"
        " THEN '-' || lower(hex(randomblob(8))) ELSE '' END"
        " WHERE ID_ >= x''",
    .can_hold_id = nullptr,
    .position_in = "INSTR",
    .between_breaks = "('\n' || {0} || '\n')",
    .last_characters = "SUBSTR({0}, -{1})",
    .by_id = "",
    .by_index = "",
    .writes_alone = true,
    .by_key = "INDEXED BY sqlite_autoindex_ACT_RU_JOB_1",
    .delete_where = "DELETE FROM {0} WHERE",
    .behind_in_priority = "(PRIORITY_, ID_) > (?, ?)",
    .behind_due = "DUEDATE_ >= ? AND (DUEDATE_, ID_) > (?, ?)",
    // It does not seek with IS NOT NULL. No text is less than the empty one.
    .has_due = "DUEDATE_ >= ''",
    .orders_by_null = true,
    .now = "",
    .has_texts_for_times = true,
    .earliest_time = schema::kEarliestInstant,
    .latest_time = schema::kLatestInstant,
    .tables = kTables,
    .json = kSqliteJson,
};

}  // namespace jobstrand::persistence
