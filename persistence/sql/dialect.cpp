#include "persistence/sql/dialect.hpp"

#include <fmt/format.h>

namespace jobstrand::persistence {

namespace {

using schema::DatabaseKind;

constexpr Dialect kSqlite{
    .for_update = "",
    .skip_locked = "",
    .for_share = "",
    .insert_if_absent = "INSERT",
    .if_absent = "ON CONFLICT DO NOTHING",
    .on_existing_id = "ON CONFLICT (ID_) DO UPDATE SET",
    .new_value = "excluded.{}",
    .bytes_parameter = "?",
    .bytes_as_text = "BYTES_",
    .position_in = "INSTR",
    .by_id = "",
    .behind_in_priority = "(PRIORITY_, ID_) > (?, ?)",
    .now = "",
};

constexpr Dialect kMysql{
    .for_update = "FOR UPDATE",
    .skip_locked = "FOR UPDATE SKIP LOCKED",
    // MariaDB does not know FOR SHARE.
    .for_share = "LOCK IN SHARE MODE",
    .insert_if_absent = "INSERT IGNORE",
    .if_absent = "",
    .on_existing_id = "ON DUPLICATE KEY UPDATE",
    .new_value = "VALUES({})",
    .bytes_parameter = "?",
    .bytes_as_text = "BYTES_",
    .position_in = "INSTR",
    .by_id = "FORCE INDEX (PRIMARY)",
    .behind_in_priority = "PRIORITY_ = ? AND ID_ > ?",
    .now = "UTC_TIMESTAMP(3)",
};

constexpr Dialect kPostgresql{
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
    .position_in = "STRPOS",
    .by_id = "",
    .behind_in_priority = "(PRIORITY_, ID_) > (?, ?)",
    .now = "CAST(clock_timestamp() AT TIME ZONE 'UTC' AS timestamp(3))",
};

}  // namespace

const Dialect& dialect_of(DatabaseKind kind) {
    switch (kind) {
        case DatabaseKind::sqlite:
            return kSqlite;
        case DatabaseKind::mysql:
            return kMysql;
        case DatabaseKind::postgresql:
            return kPostgresql;
    }
    return kSqlite;
}

std::string delete_where(DatabaseKind kind, std::string_view table) {
    if (kind != DatabaseKind::mysql) {
        return fmt::format("DELETE FROM {} WHERE", table);
    }
    // Only this form of DELETE takes an index, and MySQL 9 (not MariaDB) heeds it only where there
    // is also a condition on another column; this one is always true.
    return fmt::format(
        "DELETE FROM {0} USING {0} FORCE INDEX (PRIMARY) WHERE (REV_ IS NULL) IN (TRUE, FALSE) AND",
        table
    );
}

std::string by_index(DatabaseKind kind, std::string_view index) {
    return kind == DatabaseKind::mysql ? fmt::format("FORCE INDEX ({})", index) : std::string{};
}

}  // namespace jobstrand::persistence
