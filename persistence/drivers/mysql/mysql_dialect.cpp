#include "persistence/drivers/mysql/mysql_dialect.hpp"

#include "persistence/sql/db_error.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/schema_lock.hpp"
#include "schema/text/time_text.hpp"
#include "schema/text/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <span>
#include <string_view>

namespace jobstrand::persistence {

using namespace std::chrono_literals;
using schema::ColumnKind;

namespace {

using Words = std::span<const std::string_view>;

constexpr std::array<std::string_view, 3> kLongTexts{"text", "mediumtext", "longtext"};
constexpr std::array<std::string_view, 2> kTimes{"timestamp", "datetime"};
constexpr std::array<std::string_view, 2> kLongBytes{"longblob", "mediumblob"};
constexpr std::array<std::string_view, 2> kShortBytes{"tinyblob", "blob"};
constexpr std::array<std::string_view, 2> kIntegers{"int", "bigint"};
constexpr std::array<std::string_view, 1> kBigIntegers{"bigint"};
constexpr std::array<std::string_view, 5> kNumbers{
    "tinyint",
    "smallint",
    "mediumint",
    "int",
    "bigint"};

bool is_one_of(Words words, std::string_view word) {
    return std::ranges::find(words, word) != words.end();
}

TypeFit fit_among(Words wide, Words any, std::string_view word) {
    if (is_one_of(wide, word)) {
        return TypeFit::holds;
    }
    return is_one_of(any, word) ? TypeFit::too_narrow : TypeFit::other;
}

TypeFit mysql_text_type_fit(const TypeText& type, ColumnKind kind) {
    if (type.words == "varchar") {
        return length_fit(type.length, kind);
    }
    return is_one_of(kLongTexts, type.words) ? TypeFit::holds : TypeFit::other;
}

/// Numbers may have a width for display behind them, which says nothing.
TypeFit mysql_type_fit(std::string_view text, ColumnKind kind) {
    const TypeText type = read_type(text);
    switch (kind) {
        case ColumnKind::id:
        case ColumnKind::app_id:
        case ColumnKind::name:
        case ColumnKind::value:
        case ColumnKind::message:
        case ColumnKind::names:
            return mysql_text_type_fit(type, kind);
        case ColumnKind::integer:
            return fit_among(kIntegers, kNumbers, type.words);
        case ColumnKind::big_integer:
            return fit_among(kBigIntegers, kNumbers, type.words);
        case ColumnKind::boolean:
            return fit_among(kNumbers, {}, type.words);
        case ColumnKind::timestamp:
            return is_one_of(kTimes, type.words) ? precision_fit(type.length.value_or(0))
                                                 : TypeFit::other;
        case ColumnKind::bytes:
            return fit_among(kLongBytes, kShortBytes, type.words);
    }
    return TypeFit::other;
}

/// A collation begins with its character set. Ids are ASCII, so that every set has them.
TextFit mysql_text_fit(std::string_view collation, ColumnKind kind) {
    if (collation.empty()) {
        return TextFit::holds;
    }
    if (kind != ColumnKind::id && !collation.starts_with("utf8mb4_")) {
        return TextFit::lacks_characters;
    }
    return collation.ends_with("_bin") ? TextFit::holds : TextFit::compares_loosely;
}

std::string_view without(std::string_view sql, char first, char last) {
    const bool is_inside = sql.size() >= 2 && sql.starts_with(first) && sql.ends_with(last);
    return is_inside ? sql.substr(1, sql.size() - 2) : sql;
}

/// MariaDB writes a text with its quotes, MySQL without; both write a boolean as a number, and an
/// expression without its parentheses.
std::string mysql_plain_default(std::string_view sql) {
    sql = without(without(sql, '(', ')'), '\'', '\'');
    const std::string plain = schema::in_small_letters(sql);
    if (plain == "true" || plain == "false") {
        return plain == "true" ? "1" : "0";
    }
    return plain;
}

}  // namespace

constinit const Catalog kMysqlCatalog{
    .columns =
        "SELECT table_name, column_name, column_type,"
        " is_nullable = 'NO' AND extra NOT LIKE '%auto_increment%'"
        " AND COALESCE(generation_expression, '') = '',"
        " column_default, COALESCE(collation_name, '')"
        " FROM information_schema.columns WHERE table_schema = DATABASE()",
    .indexes =
        "SELECT table_name, index_name,"
        " CONCAT(COALESCE(column_name, 'an expression'),"
        " COALESCE(CONCAT('(', sub_part, ')'), ''), IF(collation = 'D', ' DESC', '')),"
        " index_name = 'PRIMARY', non_unique = 0, FALSE"
        " FROM information_schema.statistics WHERE table_schema = DATABASE()"
        " ORDER BY table_name, index_name, seq_in_index",
    .tied_columns =
        "SELECT table_name, column_name FROM information_schema.key_column_usage"
        " WHERE table_schema = DATABASE() AND referenced_table_name IS NOT NULL",
    .type_fit = mysql_type_fit,
    .text_fit = mysql_text_fit,
    .plain_default = mysql_plain_default,
    .changes =
        {
            // Columns that name no character set take that of the table, here the new one.
            .first = "DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
            .set_type = "MODIFY COLUMN {0} {2}",
            .set_required = "MODIFY COLUMN {0} {2}",
            .set_optional = "MODIFY COLUMN {0} {2}",
            .set_default = "MODIFY COLUMN {0} {2}",
            .drop_default = "MODIFY COLUMN {0} {2}",
        },
    .add_key = "ADD PRIMARY KEY ({0})",
    .grant_target =
        "SELECT CONCAT('ON `', DATABASE(), '`.* TO ',"
        " QUOTE(SUBSTRING_INDEX(CURRENT_USER(), '@', 1)), '@',"
        " QUOTE(SUBSTRING_INDEX(CURRENT_USER(), '@', -1)))",
    .upgrade_grant =
        "SELECT CONCAT('GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, INDEX ON `',"
        " DATABASE(), '`.* TO ',"
        " QUOTE(SUBSTRING_INDEX(CURRENT_USER(), '@', 1)), '@',"
        " QUOTE(SUBSTRING_INDEX(CURRENT_USER(), '@', -1)))",
};

namespace {

constexpr std::string_view kNumberTypes = "'INTEGER', 'UNSIGNED INTEGER', 'DOUBLE', 'DECIMAL'";

// MySQL fails with an error at a text that is nested deeper than 100. That cannot be seen from
// outside, but one with fewer brackets is not; there, others have no parts. MariaDB, which does not
// fail, reads nothing between the signs.
constexpr const char* kWhenValid =
    "/*!80000 WHEN LENGTH({0}) - LENGTH(REPLACE(REPLACE({0}, '[', ''), '{{', '')) > 100 THEN NULL "
    "*/"
    " WHEN JSON_VALID({0})";

constexpr const char* kKind = "CASE {valid} THEN JSON_TYPE(JSON_EXTRACT({0}, ?)) END";

// MariaDB 10.6 has `?` for each character beyond the basic plane in what JSON_UNQUOTE returns. In
// MySQL JSON_VALUE ends at 512 characters; MariaDB's does not, but has 1 for true.
constexpr const char* kScalar =
    "CASE {valid} THEN"
    " CASE WHEN JSON_TYPE(JSON_EXTRACT({0}, ?)) = 'STRING' THEN"
    " /*!80000 JSON_UNQUOTE(JSON_EXTRACT( */ /*M!100600 JSON_VALUE( */ {0}, ?) /*!80000 ) */"
    " WHEN JSON_TYPE(JSON_EXTRACT({0}, ?)) IN ('BOOLEAN', {1}) THEN"
    " JSON_UNQUOTE(JSON_EXTRACT({0}, ?)) END END";

// What a double cannot hold would make a statement that changes rows fail.
constexpr const char* kNumber =
    "CASE {valid} THEN"
    " CASE WHEN JSON_TYPE(JSON_EXTRACT({0}, ?)) IN ({1})"
    " AND JSON_UNQUOTE(JSON_EXTRACT({0}, ?)) REGEXP"
    " '^-?[0-9]{{1,99}}([.][0-9]+)?([eE][-+]?[0-9]{{1,2}})?$' THEN"
    " JSON_UNQUOTE(JSON_EXTRACT({0}, ?)) + 0e0 END END";

/// `form` with the column and the types of numbers.
[[nodiscard]] std::string of_column(const char* form, std::string_view column) {
    return fmt::format(
        fmt::runtime(form),
        column,
        kNumberTypes,
        fmt::arg("valid", fmt::format(fmt::runtime(kWhenValid), column))
    );
}

std::string mysql_kind_at(std::string_view column) {
    return of_column(kKind, column);
}

std::string mysql_scalar_at(std::string_view column) {
    return of_column(kScalar, column);
}

std::string mysql_number_at(std::string_view column) {
    return of_column(kNumber, column);
}

constexpr JsonDialect kMysqlJson{
    .kind_at = mysql_kind_at,
    .scalar_at = mysql_scalar_at,
    .number_at = mysql_number_at,
    .path_of = json_path_of,
};

/// Of the database's own, because the names of MySQL's locks belong to the whole server; a hash,
/// because they have at most 64 characters. The wait is shorter than any usual statement time-out.
constexpr std::string_view kTake =
    "SELECT GET_LOCK(CONCAT('jobstrand.', LEFT(SHA2(DATABASE(), 256), 32)), 20)";
constexpr std::string_view kFree =
    "SELECT RELEASE_LOCK(CONCAT('jobstrand.', LEFT(SHA2(DATABASE(), 256), 32)))";

bool is_galera(Connection& connection) {
    bool is_on = false;
    connection.query(
        {.sql = "SHOW GLOBAL VARIABLES LIKE 'wsrep_on'", .columns = 2},
        {},
        [&is_on](const Row& row) { is_on = row.text(1) == "ON"; }
    );
    return is_on;
}

/// All who want to write to a table wait behind a change of it that waits. Behind it the session
/// waits as long as it did (see open_mysql).
class BriefWait : public SchemaLock {
public:
    explicit BriefWait(Connection& connection) : connection_(connection) {
        connection.run_script("SET SESSION lock_wait_timeout = 1");
    }

    ~BriefWait() override {
        // Defended catch: whoever cannot be told is lost.
        try {
            connection_.run_script("SET SESSION lock_wait_timeout = 5");
        } catch (const DbError&) {
        }
    }

    BriefWait(const BriefWait&) = delete;
    BriefWait& operator=(const BriefWait&) = delete;

protected:
    Connection& connection_;
};

class NamedLock final : public BriefWait {
public:
    explicit NamedLock(Connection& connection) : BriefWait(connection) {
        if (one_number(connection, kTake) == 0) {
            throw DbError(
                DbErrorKind::busy, "another process has been changing the schema for 20 s"
            );
        }
    }

    ~NamedLock() override {
        // Defended catch: a connection that cannot free its lock is lost, and the server frees it
        // then.
        try {
            (void)one_number(connection_, kFree);
        } catch (const DbError&) {
        }
    }

    NamedLock(const NamedLock&) = delete;
    NamedLock& operator=(const NamedLock&) = delete;
};

/// A named lock of the database's own. On a Galera cluster it locks nothing: there the lock would
/// be one server's, and some versions refuse it; see upgrade_schema.
std::unique_ptr<SchemaLock> lock_mysql_schema(Connection& connection) {
    if (is_galera(connection)) {
        return std::make_unique<BriefWait>(connection);
    }
    return std::make_unique<NamedLock>(connection);
}

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
    .skips_along_keys = true,
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

/// What goes to a shard as it stands is read by vttablet, whose grammar has no FORCE INDEX in a
/// DELETE.
constexpr Dialect for_shard(Dialect dialect) {
    dialect.delete_where =
        "DELETE /*+ INDEX({0} PRIMARY) */ FROM {0} USING {0} WHERE ISNULL({1}) IN (0, 1) AND";
    return dialect;
}

}  // namespace

constinit const Dialect kMysqlDialect = kTimestampDialect;
constinit const Dialect kMysqlDatetimeDialect = with_datetimes(kTimestampDialect);
constinit const Dialect kMysqlEngineDialect = with_engine(kTimestampDialect);
constinit const Dialect kMysqlEngineDatetimeDialect =
    with_engine(with_datetimes(kTimestampDialect));
constinit const Dialect kMysqlShardDialect = for_shard(kTimestampDialect);
constinit const Dialect kMysqlShardDatetimeDialect = for_shard(with_datetimes(kTimestampDialect));

}  // namespace jobstrand::persistence
