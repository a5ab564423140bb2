#include "persistence/drivers/sqlite/sqlite_dialect.hpp"

#include "persistence/sql/dialect.hpp"
#include "persistence/sql/schema_lock.hpp"
#include "schema/text/time_text.hpp"

#include <fmt/format.h>

#include <array>

namespace jobstrand::persistence {

using schema::ColumnKind;

namespace {

/// What SQLite makes of a declared type (https://sqlite.org/datatype3.html, 3.1): the first word
/// that occurs in it decides.
enum class Affinity { integer, text, blob, real, numeric };

Affinity affinity_of(const std::string& words) {
    const auto has = [&words](std::string_view part) {
        return words.find(part) != std::string::npos;
    };
    if (has("int")) {
        return Affinity::integer;
    }
    if (has("char") || has("clob") || has("text")) {
        return Affinity::text;
    }
    if (has("blob") || words.empty()) {
        return Affinity::blob;
    }
    return has("real") || has("floa") || has("doub") ? Affinity::real : Affinity::numeric;
}

TypeFit holds_if(bool is_fit) {
    return is_fit ? TypeFit::holds : TypeFit::other;
}

/// SQLite heeds no lengths, but whoever declares one says what the column is for. Times are texts,
/// which a column of numbers keeps as they are.
TypeFit sqlite_type_fit(std::string_view type, ColumnKind kind) {
    const TypeText text = read_type(type);
    const Affinity affinity = affinity_of(text.words);
    switch (kind) {
        case ColumnKind::id:
        case ColumnKind::app_id:
        case ColumnKind::name:
        case ColumnKind::value:
        case ColumnKind::message:
        case ColumnKind::names:
            return affinity == Affinity::text ? length_fit(text.length, kind) : TypeFit::other;
        case ColumnKind::integer:
        case ColumnKind::big_integer:
        case ColumnKind::boolean:
            return holds_if(affinity == Affinity::integer || affinity == Affinity::numeric);
        case ColumnKind::timestamp:
            return holds_if(affinity == Affinity::text || affinity == Affinity::numeric);
        case ColumnKind::bytes:
            return holds_if(affinity == Affinity::blob);
    }
    return TypeFit::other;
}

TextFit sqlite_text_fit(std::string_view collation, ColumnKind /*kind*/) {
    return collation.empty() || collation == "BINARY" ? TextFit::holds : TextFit::compares_loosely;
}

/// The catalog leaves out the parentheses of a computed default.
std::string sqlite_plain_default(std::string_view sql) {
    if (sql.starts_with('(') && sql.ends_with(')')) {
        sql.remove_prefix(1);
        sql.remove_suffix(1);
    }
    return std::string(sql);
}

}  // namespace

constinit const Catalog kSqliteCatalog{
    // Only an index tells the collation of its columns, so only that of the key is known.
    .columns =
        "SELECT t.name, c.name, c.type, c.\"notnull\", c.dflt_value,"
        " CASE WHEN c.pk > 0 THEN"
        " (SELECT x.coll FROM pragma_index_list(t.name) i, pragma_index_xinfo(i.name) x"
        " WHERE i.origin = 'pk' AND x.name = c.name) END"
        " FROM sqlite_master t, pragma_table_info(t.name) c"
        " WHERE t.type = 'table'",
    .indexes =
        "SELECT t.name, i.name,"
        " COALESCE(x.name, 'an expression') || CASE WHEN x.\"desc\" THEN ' DESC' ELSE '' END,"
        " i.origin = 'pk', i.\"unique\", i.partial"
        " FROM sqlite_master t, pragma_index_list(t.name) i, pragma_index_xinfo(i.name) x"
        " WHERE t.type = 'table' AND x.key"
        " ORDER BY t.name, i.name, x.seqno",
    .type_fit = sqlite_type_fit,
    .text_fit = sqlite_text_fit,
    .plain_default = sqlite_plain_default,  // Columns that there are cannot be changed.
};

namespace {

constexpr const char* kKind =
    "CASE WHEN typeof({0}) = 'text' AND json_valid({0}) THEN json_type({0}, ?) END";

// A column of texts may hold bytes. A number is as it was written, and a truth value no number.
constexpr const char* kScalar =
    "CASE WHEN typeof({0}) = 'text' AND json_valid({0}) THEN"
    " CASE json_type({0}, ?) WHEN 'text' THEN json_extract({0}, ?)"
    " WHEN 'true' THEN 'true' WHEN 'false' THEN 'false'"
    " WHEN 'integer' THEN {0} -> ? WHEN 'real' THEN {0} -> ? END END";

constexpr const char* kNumber =
    "CASE WHEN typeof({0}) = 'text' AND json_valid({0}) THEN"
    " CASE WHEN json_type({0}, ?) IN ('integer', 'real') THEN"
    " CAST(json_extract({0}, ?) AS REAL) END END";

std::string sqlite_kind_at(std::string_view column) {
    return fmt::format(fmt::runtime(kKind), column);
}

std::string sqlite_scalar_at(std::string_view column) {
    return fmt::format(fmt::runtime(kScalar), column);
}

std::string sqlite_number_at(std::string_view column) {
    return fmt::format(fmt::runtime(kNumber), column);
}

constexpr JsonDialect kSqliteJson{
    .kind_at = sqlite_kind_at,
    .scalar_at = sqlite_scalar_at,
    .number_at = sqlite_number_at,
    .path_of = json_path_of,
};

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
