#include "persistence/drivers/mysql/mysql_dialect.hpp"

#include "persistence/drivers/mysql/mysql_catalog.hpp"
#include "persistence/drivers/mysql/mysql_json.hpp"
#include "persistence/drivers/mysql/mysql_schema_lock.hpp"
#include "schema/text/iso8601.hpp"

#include <algorithm>
#include <array>
#include <chrono>

namespace jobstrand::persistence {

namespace {

using schema::ColumnKind;
using namespace std::chrono_literals;

std::string as_it_is(std::string_view cell) {
    return std::string(cell);
}

bool is_ascii(std::string_view id) {
    return std::ranges::all_of(id, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

constexpr ColumnTypes kTypes{
    .id = "varchar(64) CHARACTER SET ascii COLLATE ascii_bin",
    .app_id = "varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
    .name = "varchar(255)",
    .value = "varchar(300)",
    .message = "varchar(4000)",
    .names = "varchar(1000) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
    .integer = "integer",
    .big_integer = "bigint",
    .boolean = "boolean",
    .timestamp = "timestamp(3)",
    .bytes = "longblob",
};

constexpr std::array kOddValues{
    OddValues{
        .kind = ColumnKind::id,
        .condition = "{0} = ''",
        .what = "empty",
        .mended = "uuid()",
    },
    OddValues{
        .kind = ColumnKind::integer,
        .condition = "abs({0}) > 2000000000",
        .what = "too large to be counted with",
        .mended = "{1}",
    },
    OddValues{
        .kind = ColumnKind::timestamp,
        .condition = "CAST({0} AS CHAR) LIKE '0000%'",
        .what = "no time",
        .mended = "NULL",
    },
};

constexpr TableDialect kTables{
    .types = kTypes,
    .now = "CURRENT_TIMESTAMP(3)",
    .scope = "'jobstrand'",
    // Without the word, older servers make a timestamp NOT NULL and update it by themselves.
    .optional_time = " NULL",
    .table_options = " ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin",
    // A page is merged with the next one below a tenth of its size instead of a half. A claim and
    // the deletions behind it take 11 % less of the server's time so.
    .job_storage =
        "-- Serves: deletions in the order of the key, which leave pages empty soon anyway: they "
        "are "
        "not merged before.\n"
        "ALTER TABLE ACT_RU_JOB COMMENT = 'MERGE_THRESHOLD=10'",
    .checks = {},
    .earlier_app_ids = "ascii_bin",
    .odd_values = kOddValues,
    // MySQL has no IF NOT EXISTS for indexes; MariaDB has, and reads what stands in such a comment.
    .if_index_is_absent = "/*M! IF NOT EXISTS */",
    .drop_index = "DROP INDEX {0} ON {1}",
    .empty_table = "TRUNCATE TABLE {0}",
    .has_partial_indexes = false,
    .adds_computed_columns = true,
    .is_transactional = false,
    .catalog = kMysqlCatalog,
    .lasting_times = &kMysqlDatetimeDialect,
    .lock = lock_mysql_schema,
};

constexpr Dialect kTimestampDialect{
    .name = "mysql",
    .for_update = "FOR UPDATE",
    .skip_locked = "FOR UPDATE SKIP LOCKED",
    .locks_by_writing = true,  // Galera.
    // MariaDB does not know FOR SHARE.
    .for_share = "LOCK IN SHARE MODE",
    .for_key_share = "LOCK IN SHARE MODE",
    .for_no_key_update = "FOR UPDATE",
    .no_key_skip_locked = "",
    .insert_if_absent = "INSERT IGNORE",
    .if_absent = "",
    .on_existing = "ON DUPLICATE KEY UPDATE",
    .new_value = "VALUES({})",
    .bytes_parameter = "?",
    .bytes_as_text = "BYTES_",
    .size_of_bytes = "OCTET_LENGTH(BYTES_)",
    .text_of_bytes = as_it_is,
    .name_bytes = "",
    .can_hold_id = is_ascii,
    .position_in = "INSTR",
    .between_breaks = "CONCAT('\n', {0}, '\n')",
    .last_characters = "RIGHT({0}, {1})",
    .by_id = "FORCE INDEX (PRIMARY)",
    .by_index = "FORCE INDEX ({0})",
    // Only this form of DELETE takes an index, and MySQL 9 (not MariaDB) heeds it only where there
    // is also a condition on another column; this one is always true. In this form Vitess passes it
    // on: it refuses `({1} IS NULL) IN (TRUE, FALSE)`. What stands behind USING it leaves out, and
    // of the index only the hint in the comment is left, which MariaDB does not read.
    .delete_where =
        "DELETE /*+ INDEX({0} PRIMARY) */ FROM {0} USING {0} FORCE INDEX (PRIMARY) "
        "WHERE ISNULL({1}) IN (0, 1) AND",
    .behind_in_priority = "PRIORITY_ = ? AND ID_ > ?",
    .behind_due = "(DUEDATE_ > ? OR (DUEDATE_ = ? AND ID_ > ?))",
    .has_due = "DUEDATE_ IS NOT NULL",
    .orders_by_null = false,
    .now = "UTC_TIMESTAMP(3)",
    // A timestamp is read in the zone of the session.
    .guest =
        {.arrive = {"SET @jobstrand_zone = @@session.time_zone", "SET time_zone = '+00:00'"},
         .leave = "SET time_zone = @jobstrand_zone"},
    .has_texts_for_times = false,
    // The seconds 1 to 2^31 - 1: 0 stands for no time at all.
    .earliest_time = schema::TimePoint{1s},
    .latest_time = schema::TimePoint{2'147'483'647'999ms},
    .tables = kTables,
    .json = kMysqlJson,
};

/// Other than `timestamp`, it is not converted between the zones of sessions.
constexpr Dialect with_datetimes(Dialect dialect) {
    dialect.tables.types.timestamp = "datetime(3)";
    dialect.tables.now = "(UTC_TIMESTAMP(3))";
    dialect.tables.lasting_times = nullptr;
    dialect.latest_time = schema::kLatestInstant;
    return dialect;
}

constexpr Dialect with_engine(Dialect dialect) {
    dialect.has_engine = true;
    return dialect;
}

}  // namespace

constinit const Dialect kMysqlDialect = kTimestampDialect;
constinit const Dialect kMysqlDatetimeDialect = with_datetimes(kTimestampDialect);
constinit const Dialect kMysqlEngineDialect = with_engine(kTimestampDialect);
constinit const Dialect kMysqlEngineDatetimeDialect =
    with_engine(with_datetimes(kTimestampDialect));

}  // namespace jobstrand::persistence
