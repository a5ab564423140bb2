#include "persistence/drivers/postgresql/postgresql_dialect.hpp"

#include "persistence/drivers/postgresql/postgresql_catalog.hpp"
#include "persistence/drivers/postgresql/postgresql_json.hpp"
#include "persistence/drivers/postgresql/postgresql_schema_lock.hpp"
#include "persistence/sql/hex_text.hpp"
#include "schema/text/iso8601.hpp"
#include "schema/text/utf8.hpp"

#include <array>

namespace jobstrand::persistence {

namespace {

using schema::ColumnKind;

bool is_text(std::string_view id) {
    return schema::count_characters(id).has_value();
}

constexpr ColumnTypes kTypes{
    .id = "varchar(64) COLLATE \"C\"",
    .app_id = "varchar(64) COLLATE \"C\"",
    .name = "varchar(255)",
    .value = "varchar(300)",
    .message = "varchar(4000)",
    .names = "varchar(1000)",
    .integer = "integer",
    .big_integer = "bigint",
    .boolean = "boolean",
    .timestamp = "timestamp(3)",
    .bytes = "bytea",
};

constexpr std::array kOddValues{
    OddValues{
        .kind = ColumnKind::id,
        .condition = "{0} = ''",
        .what = "empty",
        .mended = "gen_random_uuid()::text",
    },
    OddValues{
        .kind = ColumnKind::integer,
        .condition = "abs({0}) > 2000000000",
        .what = "too large to be counted with",
        .mended = "{1}",
    },
    OddValues{
        .kind = ColumnKind::timestamp,
        .condition = "{0} NOT BETWEEN '0001-01-01' AND '9999-12-31 23:59:59.999'",
        .what = "no time that a job can have",
        .mended = "NULL",
    },
};

constexpr TableDialect kTables{
    .types = kTypes,
    .now = "(now() AT TIME ZONE 'UTC')",
    .scope = "'jobstrand'",
    .optional_time = "",
    .table_options = "",
    .job_storage =
        "-- Serves: the lock of a job, which is written beside the free row, so that no index "
        "changes.\n"
        "ALTER TABLE ACT_RU_JOB SET (fillfactor = 40)",
    .checks = {},
    .odd_values = kOddValues,
    .if_index_is_absent = "IF NOT EXISTS",
    .concurrently = "CONCURRENTLY",
    .drop_index = "DROP INDEX {0}",
    .empty_table = "TRUNCATE TABLE {0}",
    .has_partial_indexes = true,
    .adds_computed_columns = true,
    .is_transactional = true,
    .catalog = kPostgresqlCatalog,
    .lock = lock_postgresql_schema,
    .allow_time = allow_postgresql_time,
};

constexpr Dialect kDialect{
    .name = "postgresql",
    .for_update = "FOR UPDATE",
    .skip_locked = "FOR UPDATE SKIP LOCKED",
    .for_share = "FOR SHARE",
    .for_key_share = "FOR KEY SHARE",
    .for_no_key_update = "FOR NO KEY UPDATE",
    .no_key_skip_locked = "FOR NO KEY UPDATE SKIP LOCKED",
    .insert_if_absent = "INSERT",
    .if_absent = "ON CONFLICT DO NOTHING",
    .on_existing = "ON CONFLICT ({0}) DO UPDATE SET",
    .new_value = "excluded.{}",
    .bytes_parameter = "convert_to(?, 'UTF8')",
    // Not convert_from, which fails for the bytes that others may have stored.
    .bytes_as_text = "encode(BYTES_, 'hex')",
    .size_of_bytes = "OCTET_LENGTH(BYTES_)",
    .text_of_bytes = from_hex,
    .name_bytes = "",
    .can_hold_id = is_text,
    .position_in = "STRPOS",
    .between_breaks = "('\n' || {0} || '\n')",
    .last_characters = "RIGHT({0}, {1})",
    .by_id = "",
    .by_index = "",
    .delete_where = "DELETE FROM {0} WHERE",
    .behind_in_priority = "(PRIORITY_, ID_) > (?, ?)",
    .behind_due = "DUEDATE_ >= ? AND (DUEDATE_, ID_) > (?, ?)",
    .has_due = "DUEDATE_ IS NOT NULL",
    .orders_by_null = true,
    .now = "CAST(clock_timestamp() AT TIME ZONE 'UTC' AS timestamp(3))",
    .guest = {.number_mark = '$', .announce = "NOTIFY jobstrand"},
    .has_texts_for_times = false,
    .earliest_time = schema::kEarliestInstant,
    .latest_time = schema::kLatestInstant,
    .tables = kTables,
    .json = kPostgresqlJson,
};

constexpr Dialect with_engine(Dialect dialect) {
    dialect.has_engine = true;
    return dialect;
}

}  // namespace

constinit const Dialect kPostgresqlDialect = kDialect;
constinit const Dialect kPostgresqlEngineDialect = with_engine(kDialect);

}  // namespace jobstrand::persistence
