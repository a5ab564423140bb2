#include "persistence/drivers/postgresql/dialect.hpp"

#include "persistence/drivers/postgresql/catalog.hpp"
#include "persistence/drivers/postgresql/schema_lock.hpp"
#include "persistence/sql/hex_text.hpp"
#include "schema/text/iso8601.hpp"

namespace jobstrand::persistence {

namespace {

constexpr ColumnTypes kTypes{
    .id = "varchar(64) COLLATE \"C\"",
    .name = "varchar(255)",
    .value = "varchar(300)",
    .message = "varchar(4000)",
    .integer = "integer",
    .big_integer = "bigint",
    .boolean = "boolean",
    .timestamp = "timestamp(3)",
    .bytes = "bytea",
};

constexpr TableDialect kTables{
    .types = kTypes,
    .now = "(now() AT TIME ZONE 'UTC')",
    .optional_time = "",
    .table_options = "",
    .if_index_is_absent = "IF NOT EXISTS",
    .drop_index = "DROP INDEX {0}",
    .empty_table = "TRUNCATE TABLE {0}",
    .has_partial_indexes = true,
    .adds_computed_columns = true,
    .is_transactional = true,
    .catalog = kPostgresqlCatalog,
    .lock = lock_postgresql_schema,
};

}  // namespace

constinit const Dialect kPostgresqlDialect{
    .name = "postgresql",
    .for_update = "FOR UPDATE",
    .skip_locked = "FOR UPDATE SKIP LOCKED",
    .for_share = "FOR SHARE",
    .insert_if_absent = "INSERT",
    .if_absent = "ON CONFLICT DO NOTHING",
    .on_existing_id = "ON CONFLICT (ID_) DO UPDATE SET",
    .new_value = "excluded.{}",
    .bytes_parameter = "convert_to(?, 'UTF8')",
    // Not convert_from, which fails for the bytes that others may have stored.
    .bytes_as_text = "encode(BYTES_, 'hex')",
    .text_of_bytes = from_hex,
    .position_in = "STRPOS",
    .by_id = "",
    .by_index = "",
    .delete_where = "DELETE FROM {0} WHERE",
    .behind_in_priority = "(PRIORITY_, ID_) > (?, ?)",
    .now = "CAST(clock_timestamp() AT TIME ZONE 'UTC' AS timestamp(3))",
    .guest = {.number_mark = '$', .announce = "NOTIFY jobstrand"},
    .latest_time = schema::kLatestInstant,
    .tables = kTables,
};

}  // namespace jobstrand::persistence
