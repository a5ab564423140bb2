#include "persistence/drivers/postgresql/postgresql_dialect.hpp"

#include "persistence/sql/db_error.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/schema_lock.hpp"
#include "persistence/sql/sql_values.hpp"
#include "schema/text/time_text.hpp"
#include "schema/text/utf8.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>

namespace jobstrand::persistence {

using schema::ColumnKind;

namespace {

TypeFit holds_if(bool is_fit) {
    return is_fit ? TypeFit::holds : TypeFit::other;
}

TypeFit number_fit(std::string_view words, ColumnKind kind) {
    if (words == "bigint" || (words == "integer" && kind == ColumnKind::integer)) {
        return TypeFit::holds;
    }
    return words == "integer" || words == "smallint" ? TypeFit::too_narrow : TypeFit::other;
}

TypeFit postgresql_type_fit(std::string_view text, ColumnKind kind) {
    const TypeText type = read_type(text);
    switch (kind) {
        case ColumnKind::id:
        case ColumnKind::app_id:
        case ColumnKind::name:
        case ColumnKind::value:
        case ColumnKind::message:
        case ColumnKind::names:
            return type.words == "character varying" ? length_fit(type.length, kind)
                                                     : holds_if(type.words == "text");
        case ColumnKind::integer:
        case ColumnKind::big_integer:
            return number_fit(type.words, kind);
        case ColumnKind::boolean:
            return holds_if(type.words == "boolean");
        case ColumnKind::timestamp: {
            constexpr std::size_t kDigitsUnlessSaid = 6;
            return type.words.starts_with("timestamp")
                       ? precision_fit(type.length.value_or(kDigitsUnlessSaid))
                       : TypeFit::other;
        }
        case ColumnKind::bytes:
            return holds_if(type.words == "bytea");
    }
    return TypeFit::other;
}

/// The database is in UTF-8 (see open_postgresql), and equal texts are equal in every collation
/// that it has from the start. The order of ids is another matter.
TextFit postgresql_text_fit(std::string_view collation, ColumnKind kind) {
    const bool is_by_bytes = collation.empty() || collation == "C" || collation == "POSIX" ||
                             collation.starts_with("C.");
    const bool is_id = kind == ColumnKind::id || kind == ColumnKind::app_id;
    return is_by_bytes || !is_id ? TextFit::holds : TextFit::compares_loosely;
}

/// The catalog writes the type of every text behind it: `'UTC'::character varying`. Before
/// PostgreSQL 14 it calls a function by its name that was written as an operator.
std::string postgresql_plain_default(std::string_view sql) {
    std::string plain(sql);
    for (std::size_t cast; (cast = plain.find("::")) != std::string::npos;) {
        const std::size_t end = plain.find_first_not_of("abcdefghijklmnopqrstuvwxyz ", cast + 2);
        plain.erase(cast, end == std::string::npos ? end : end - cast);
    }
    return plain == "timezone('UTC', now())" ? "(now() AT TIME ZONE 'UTC')" : plain;
}

}  // namespace

constinit const Catalog kPostgresqlCatalog{
    // The catalog, because the information schema hides what the user has no rights on; and what a
    // name without a schema stands for. A collation `default` is that of the database.
    .columns =
        "SELECT t.relname, c.attname, format_type(c.atttypid, c.atttypmod),"
        " c.attnotnull AND c.attidentity = '' AND c.attgenerated = '',"
        " pg_get_expr(d.adbin, d.adrelid),"
        " CASE WHEN l.collname = 'default' THEN"
        " (SELECT CASE WHEN COALESCE(to_jsonb(b) ->> 'datlocprovider', 'c') = 'c'"
        " THEN b.datcollate ELSE 'default' END"
        " FROM pg_database b WHERE b.datname = current_database())"
        " ELSE COALESCE(l.collname, '') END"
        " FROM pg_class t JOIN pg_attribute c ON c.attrelid = t.oid"
        " LEFT JOIN pg_attrdef d ON d.adrelid = t.oid AND d.adnum = c.attnum"
        " LEFT JOIN pg_collation l ON l.oid = c.attcollation"
        " WHERE t.relkind IN ('r', 'p') AND pg_table_is_visible(t.oid)"
        " AND t.relnamespace <> 'pg_catalog'::regnamespace"
        " AND c.attnum > 0 AND NOT c.attisdropped",
    .indexes =
        "SELECT t.relname, i.relname, pg_get_indexdef(x.indexrelid, n.number, true)"
        " || CASE WHEN x.indoption[n.number - 1] & 1 = 1 THEN ' DESC' ELSE '' END,"
        " x.indisprimary, x.indisunique, x.indpred IS NOT NULL"
        " FROM pg_index x"
        " JOIN pg_class t ON t.oid = x.indrelid"
        " JOIN pg_class i ON i.oid = x.indexrelid,"
        " generate_series(1, x.indnkeyatts) AS n (number)"
        " WHERE pg_table_is_visible(t.oid) AND x.indisvalid"
        " AND t.relnamespace <> 'pg_catalog'::regnamespace"
        " ORDER BY t.relname, i.relname, n.number",
    .type_fit = postgresql_type_fit,
    .text_fit = postgresql_text_fit,
    .plain_default = postgresql_plain_default,
    .changes =
        {
            .set_type = "ALTER COLUMN {0} TYPE {1}",
            .set_required = "ALTER COLUMN {0} SET NOT NULL",
            .set_optional = "ALTER COLUMN {0} DROP NOT NULL",
            .set_default = "ALTER COLUMN {0} SET DEFAULT {3}",
            .drop_default = "ALTER COLUMN {0} DROP DEFAULT",
        },
    .add_key = "ADD PRIMARY KEY ({0})",
    .grant_target =
        "SELECT 'ON ALL TABLES IN SCHEMA ' || relnamespace::regnamespace"
        " || ' TO ' || quote_ident(current_user)"
        " FROM pg_class WHERE oid = 'act_ru_job'::regclass",
    // Tables are changed by their owner, and by whoever is a member of that role.
    .upgrade_grant =
        "SELECT COALESCE("
        "(SELECT 'GRANT ' || relowner::regrole || ' TO ' || quote_ident(current_user)"
        " FROM pg_class WHERE oid = to_regclass('act_ru_job')"
        " AND NOT pg_has_role(relowner, 'MEMBER')),"
        " 'GRANT USAGE, CREATE ON SCHEMA ' || quote_ident(COALESCE(current_schema(), 'public'))"
        " || ' TO ' || quote_ident(current_user))",
};

namespace {

// Before version 16 PostgreSQL can only try to read JSON, and a text that is none ends the
// statement. So the text is reduced until it is one value, or is not: strings become the character
// 1, all other scalars 2, and then each innermost list or object 2, so often as they may nest.
constexpr int kDepth = 32;

// Escapes that no text of the database can hold (NUL, half a surrogate pair) count as no JSON.
constexpr std::string_view kString =
    R"re('"(?:[^"\\\u0001-\u001f]|\\["\\/bfnrt])re"
    R"re(|\\u(?:[1-9a-cA-CefEF][0-9a-fA-F]{3}|[dD][0-7][0-9a-fA-F]{2})re"
    R"re(|0[1-9a-fA-F][0-9a-fA-F]{2}|00[1-9a-fA-F][0-9a-fA-F]|000[1-9a-fA-F]))re"
    R"re(|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})*"')re";
constexpr std::string_view kScalar =
    R"re('-?(?:0|[1-9][0-9]*)(?:[.][0-9]+)?(?:[eE][-+]?[0-9]+)?|true|false|null')re";
constexpr std::string_view kBlanks = R"re('[ \t\n\r]+')re";
constexpr std::string_view kInnermost =
    R"re('\{(?:\u0001:[\u0001\u0002](?:,\u0001:[\u0001\u0002])*)?\}|)re"
    R"re(\[(?:[\u0001\u0002](?:,[\u0001\u0002])*)?\]')re";

[[nodiscard]] std::string
replaced(std::string_view text, std::string_view pattern, std::string_view by) {
    return fmt::format("regexp_replace({}, {}, {}, 'g')", text, pattern, by);
}

[[nodiscard]] std::string is_json(std::string_view column) {
    std::string value = replaced(column, kString, "chr(1)");
    value = replaced(value, kScalar, "chr(2)");
    value = replaced(value, kBlanks, "''");
    for (int i = 0; i < kDepth; ++i) {
        value = replaced(value, kInnermost, "chr(2)");
    }
    // The marks themselves are nowhere in JSON.
    return fmt::format(R"re({0} !~ '[\u0001\u0002]' AND {1} IN (chr(1), chr(2)))re", column, value);
}

constexpr std::string_view kAtPath = "CAST({0} AS json) {1} CAST(? AS text[])";

[[nodiscard]] std::string at_path(std::string_view column, std::string_view how) {
    return fmt::format(kAtPath, column, how);
}

std::string postgresql_kind_at(std::string_view column) {
    return fmt::format(
        "CASE WHEN {} THEN json_typeof({}) END", is_json(column), at_path(column, "#>")
    );
}

std::string postgresql_scalar_at(std::string_view column) {
    return fmt::format(
        "CASE WHEN {} THEN CASE WHEN json_typeof({}) IN ('string', 'number', 'boolean')"
        " THEN {} END END",
        is_json(column),
        at_path(column, "#>"),
        at_path(column, "#>>")
    );
}

std::string postgresql_number_at(std::string_view column) {
    // What a double cannot hold would be an error.
    return fmt::format(
        "CASE WHEN {0} THEN CASE WHEN json_typeof({1}) = 'number' AND {2} ~"
        " '^-?[0-9]{{1,99}}([.][0-9]+)?([eE][-+]?[0-9]{{1,2}})?$'"
        " THEN CAST({2} AS double precision) END END",
        is_json(column),
        at_path(column, "#>"),
        at_path(column, "#>>")
    );
}

std::string postgresql_path_of(std::span<const std::string> members) {
    std::string path;
    for (const std::string& member : members) {
        path += fmt::format("{}\"{}\"", path.empty() ? "" : ",", member);
    }
    return fmt::format("{{{}}}", path);
}

constexpr JsonDialect kPostgresqlJson{
    .kind_at = postgresql_kind_at,
    .scalar_at = postgresql_scalar_at,
    .number_at = postgresql_number_at,
    .path_of = postgresql_path_of,
};

/// All who want to write to a table wait behind a change of it that waits.
constexpr std::string_view kWaitBriefly = "SET LOCAL lock_timeout = '1s'";

/// A change of the schema may take longer than any other statement, and another one may be at it.
constexpr std::string_view kAllowTime =
    "SET LOCAL lock_timeout = '20s'; SET LOCAL statement_timeout = 0";

/// Freed by the end of the transaction. The number is `jobstran` in ASCII.
constexpr std::string_view kTake = "SELECT pg_advisory_xact_lock(7669456938449658222)";

/// One index at a time: what another session has begun looks like what a broken-off try has left.
constexpr std::string_view kTryToTake = "SELECT pg_try_advisory_lock(7669456938449658223)";
constexpr std::string_view kFree = "SELECT pg_advisory_unlock(7669456938449658223)";

[[nodiscard]] bool take_index_lock(Connection& connection) {
    bool is_mine = false;
    connection.query({.sql = kTryToTake, .columns = 1}, {}, [&is_mine](const Row& row) {
        is_mine = row.boolean(0);
    });
    return is_mine;
}

[[nodiscard]] std::string setting(Connection& connection, std::string_view name) {
    return one_text(connection, fmt::format("SHOW {}", name));
}

/// Sets both limits of time, and afterwards to what they were. Never waits for another session that
/// makes an index.
class OtherLimits final : public SchemaLock {
public:
    OtherLimits(Connection& connection, std::chrono::milliseconds wait)
        : connection_(connection),
          wait_(setting(connection, "lock_timeout")),
          statement_(setting(connection, "statement_timeout")) {
        if (!take_index_lock(connection)) {
            throw DbError(
                DbErrorKind::busy,
                "another process is making an index in this database: try again when it has ended"
            );
        }
        set(std::to_string(wait.count()), "0");
    }

    ~OtherLimits() override {
        // Defended catch: a connection that cannot be told is lost.
        try {
            set(wait_, statement_);
            connection_.query({.sql = kFree, .columns = 1}, {}, [](const Row&) {});
        } catch (const DbError&) {
        }
    }

    OtherLimits(const OtherLimits&) = delete;
    OtherLimits& operator=(const OtherLimits&) = delete;

private:
    void set(std::string_view wait, std::string_view statement) {
        connection_.run_script(
            fmt::format("SET lock_timeout = '{}'; SET statement_timeout = '{}'", wait, statement)
        );
    }

    Connection& connection_;
    const std::string wait_;
    const std::string statement_;
};

/// See TableDialect::allow_time.
std::unique_ptr<SchemaLock>
allow_postgresql_time(Connection& connection, std::chrono::milliseconds wait) {
    return std::make_unique<OtherLimits>(connection, wait);
}

/// A transaction with an advisory lock.
std::unique_ptr<SchemaLock> lock_postgresql_schema(Connection& connection) {
    auto lock = std::make_unique<SchemaTransaction>(connection);
    connection.run_script(kAllowTime);
    connection.query({.sql = kTake, .columns = 1}, {}, [](const Row&) {});
    connection.run_script(kWaitBriefly);
    return lock;
}

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
