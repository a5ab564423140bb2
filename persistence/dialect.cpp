#include "persistence/dialect.hpp"

namespace jobstrand::persistence {

namespace {

constexpr Dialect kSqlite{
    .for_update = "",
    .skip_locked = "",
    .for_share = "",
    .insert_if_absent = "INSERT",
    .if_absent = "ON CONFLICT DO NOTHING",
    .bytes_parameter = "?",
    .bytes_as_text = "BYTES_",
    .position_in = "INSTR",
};

constexpr Dialect kMysql{
    .for_update = "FOR UPDATE",
    .skip_locked = "FOR UPDATE SKIP LOCKED",
    // MariaDB does not know FOR SHARE.
    .for_share = "LOCK IN SHARE MODE",
    .insert_if_absent = "INSERT IGNORE",
    .if_absent = "",
    .bytes_parameter = "?",
    .bytes_as_text = "BYTES_",
    .position_in = "INSTR",
};

constexpr Dialect kPostgresql{
    .for_update = "FOR UPDATE",
    .skip_locked = "FOR UPDATE SKIP LOCKED",
    .for_share = "FOR SHARE",
    .insert_if_absent = "INSERT",
    .if_absent = "ON CONFLICT DO NOTHING",
    .bytes_parameter = "convert_to(?, 'UTF8')",
    .bytes_as_text = "convert_from(BYTES_, 'UTF8')",
    .position_in = "STRPOS",
};

}  // namespace

const Dialect& dialect_of(schema::DatabaseKind kind) {
    switch (kind) {
        case schema::DatabaseKind::sqlite:
            return kSqlite;
        case schema::DatabaseKind::mysql:
            return kMysql;
        case schema::DatabaseKind::postgresql:
            return kPostgresql;
    }
    return kSqlite;
}

}  // namespace jobstrand::persistence
