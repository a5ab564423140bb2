#include "persistence/migration/schema_check.hpp"

#include "persistence/drivers/mysql/mysql_dialect.hpp"
#include "persistence/drivers/postgresql/postgresql_dialect.hpp"
#include "persistence/drivers/sqlite/sqlite_dialect.hpp"
#include "persistence/migration/ddl.hpp"
#include "persistence/migration/schema_migration.hpp"
#include "persistence/sql/db_error.hpp"
#include "schema/tables.hpp"
#include "test/fixtures/faulty_connection.hpp"
#include "test/fixtures/sqlite_file.hpp"
#include "test/persistence/schema_differences.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

namespace {

using schema::ColumnKind;
using schema::Index;
using schema::kPriorityIndex;
using schema::kSchemaVersion;
using schema::OptionalIndex;
using schema::Table;
using testing::HasSubstr;
using testing::Not;

TEST(Catalog, A_type_is_read_without_its_length) {
    const auto expect = [](std::string_view text, std::string_view words, std::size_t length) {
        const TypeText type = read_type(text);
        EXPECT_EQ(type.words, words) << text;
        EXPECT_EQ(type.length.value_or(0), length) << text;
    };
    expect("varchar(64)", "varchar", 64);
    expect("VARCHAR(64)", "varchar", 64);
    expect("text", "text", 0);
    expect("", "", 0);
    expect("int(10) unsigned", "int unsigned", 10);
    expect("timestamp(3) without time zone", "timestamp without time zone", 3);
    expect("numeric(10,2)", "numeric", 0);
    expect("odd(", "odd(", 0);
    expect("odd()", "odd", 0);
    expect("odd)3(", "odd)3(", 0);
}

struct TypeCase {
    std::string_view type;
    ColumnKind kind;
    TypeFit fit;
};

void expect_fits(const Catalog& catalog, const std::vector<TypeCase>& cases) {
    for (const TypeCase& one : cases) {
        EXPECT_EQ(catalog.type_fit(one.type, one.kind), one.fit)
            << one.type << " for kind " << static_cast<int>(one.kind);
    }
}

TEST(Catalog, Sqlite_tells_types_by_their_affinity) {
    expect_fits(
        kSqliteCatalog,
        {
            {"TEXT", ColumnKind::message, TypeFit::holds},
            {"varchar(64)", ColumnKind::id, TypeFit::holds},
            {"varchar(63)", ColumnKind::id, TypeFit::too_narrow},
            {"NVARCHAR(255)", ColumnKind::name, TypeFit::holds},
            {"clob", ColumnKind::message, TypeFit::holds},
            {"integer", ColumnKind::name, TypeFit::other},
            {"", ColumnKind::name, TypeFit::other},
            {"numeric", ColumnKind::name, TypeFit::other},
            {"BIGINT", ColumnKind::integer, TypeFit::holds},
            {"smallint", ColumnKind::big_integer, TypeFit::holds},
            {"boolean", ColumnKind::boolean, TypeFit::holds},
            {"TEXT", ColumnKind::integer, TypeFit::other},
            {"double", ColumnKind::integer, TypeFit::other},
            {"timestamp(3)", ColumnKind::timestamp, TypeFit::holds},
            {"datetime", ColumnKind::timestamp, TypeFit::holds},
            {"TEXT", ColumnKind::timestamp, TypeFit::holds},
            {"integer", ColumnKind::timestamp, TypeFit::other},
            {"real", ColumnKind::timestamp, TypeFit::other},
            {"BLOB", ColumnKind::bytes, TypeFit::holds},
            {"", ColumnKind::bytes, TypeFit::holds},
            {"TEXT", ColumnKind::bytes, TypeFit::other},
        }
    );
}

TEST(Catalog, Mysql_tells_types_by_their_words) {
    expect_fits(
        kMysqlCatalog,
        {
            {"varchar(64)", ColumnKind::id, TypeFit::holds},
            {"varchar(36)", ColumnKind::id, TypeFit::too_narrow},
            {"varchar(299)", ColumnKind::value, TypeFit::too_narrow},
            {"varchar(3999)", ColumnKind::message, TypeFit::too_narrow},
            {"varchar(999)", ColumnKind::names, TypeFit::too_narrow},
            {"longtext", ColumnKind::message, TypeFit::holds},
            {"text", ColumnKind::message, TypeFit::holds},
            {"tinytext", ColumnKind::name, TypeFit::other},
            {"char(64)", ColumnKind::id, TypeFit::other},
            {"varbinary(64)", ColumnKind::id, TypeFit::other},
            {"int(11)", ColumnKind::integer, TypeFit::holds},
            {"int", ColumnKind::integer, TypeFit::holds},
            {"int(10) unsigned", ColumnKind::integer, TypeFit::other},
            {"smallint(6)", ColumnKind::integer, TypeFit::too_narrow},
            {"bigint(20)", ColumnKind::integer, TypeFit::holds},
            {"int(11)", ColumnKind::big_integer, TypeFit::too_narrow},
            {"bigint(20)", ColumnKind::big_integer, TypeFit::holds},
            {"double", ColumnKind::big_integer, TypeFit::other},
            {"tinyint(1)", ColumnKind::boolean, TypeFit::holds},
            {"tinyint(4)", ColumnKind::boolean, TypeFit::holds},
            {"varchar(5)", ColumnKind::boolean, TypeFit::other},
            {"timestamp(3)", ColumnKind::timestamp, TypeFit::holds},
            {"datetime(6)", ColumnKind::timestamp, TypeFit::holds},
            {"timestamp", ColumnKind::timestamp, TypeFit::too_narrow},
            {"datetime(2)", ColumnKind::timestamp, TypeFit::too_narrow},
            {"date", ColumnKind::timestamp, TypeFit::other},
            {"longblob", ColumnKind::bytes, TypeFit::holds},
            {"mediumblob", ColumnKind::bytes, TypeFit::holds},
            {"blob", ColumnKind::bytes, TypeFit::too_narrow},
            {"longtext", ColumnKind::bytes, TypeFit::other},
        }
    );
}

TEST(Catalog, Postgresql_tells_types_by_their_words) {
    expect_fits(
        kPostgresqlCatalog,
        {
            {"character varying(64)", ColumnKind::id, TypeFit::holds},
            {"character varying(63)", ColumnKind::id, TypeFit::too_narrow},
            {"character varying", ColumnKind::message, TypeFit::holds},
            {"text", ColumnKind::message, TypeFit::holds},
            {"character(64)", ColumnKind::id, TypeFit::other},
            {"uuid", ColumnKind::id, TypeFit::other},
            {"integer", ColumnKind::integer, TypeFit::holds},
            {"smallint", ColumnKind::integer, TypeFit::too_narrow},
            {"bigint", ColumnKind::integer, TypeFit::holds},
            {"integer", ColumnKind::big_integer, TypeFit::too_narrow},
            {"bigint", ColumnKind::big_integer, TypeFit::holds},
            {"numeric(20,0)", ColumnKind::big_integer, TypeFit::other},
            {"boolean", ColumnKind::boolean, TypeFit::holds},
            {"integer", ColumnKind::boolean, TypeFit::other},
            {"timestamp(3) without time zone", ColumnKind::timestamp, TypeFit::holds},
            {"timestamp without time zone", ColumnKind::timestamp, TypeFit::holds},
            {"timestamp(0) without time zone", ColumnKind::timestamp, TypeFit::too_narrow},
            {"date", ColumnKind::timestamp, TypeFit::other},
            {"text", ColumnKind::timestamp, TypeFit::other},
            {"bytea", ColumnKind::bytes, TypeFit::holds},
            {"oid", ColumnKind::bytes, TypeFit::other},
        }
    );
}

TEST(Catalog, Sqlite_has_texts_of_every_character_that_may_compare_loosely) {
    EXPECT_EQ(kSqliteCatalog.text_fit("", ColumnKind::id), TextFit::holds);
    EXPECT_EQ(kSqliteCatalog.text_fit("BINARY", ColumnKind::id), TextFit::holds);
    EXPECT_EQ(kSqliteCatalog.text_fit("NOCASE", ColumnKind::id), TextFit::compares_loosely);
    EXPECT_EQ(kSqliteCatalog.text_fit("RTRIM", ColumnKind::name), TextFit::compares_loosely);
}

TEST(Catalog, Mysql_tells_the_character_set_by_the_collation) {
    const auto fit = kMysqlCatalog.text_fit;
    EXPECT_EQ(fit("utf8mb4_bin", ColumnKind::message), TextFit::holds);
    EXPECT_EQ(fit("utf8mb3_bin", ColumnKind::message), TextFit::lacks_characters);
    EXPECT_EQ(fit("utf8_bin", ColumnKind::name), TextFit::lacks_characters);
    EXPECT_EQ(fit("latin1_swedish_ci", ColumnKind::name), TextFit::lacks_characters);
    EXPECT_EQ(fit("utf8mb4_general_ci", ColumnKind::name), TextFit::compares_loosely);
    EXPECT_EQ(fit("ascii_bin", ColumnKind::id), TextFit::holds);
    EXPECT_EQ(fit("utf8mb3_bin", ColumnKind::id), TextFit::holds);
    EXPECT_EQ(fit("utf8mb3_general_ci", ColumnKind::id), TextFit::compares_loosely);
}

TEST(Catalog, Postgresql_compares_ids_byte_by_byte_in_some_collations) {
    const auto fit = kPostgresqlCatalog.text_fit;
    for (const std::string_view exact : {"C", "POSIX", "C.UTF-8", ""}) {
        EXPECT_EQ(fit(exact, ColumnKind::id), TextFit::holds) << exact;
    }
    for (const std::string_view loose : {"default", "en_US.UTF-8", "en-x-icu"}) {
        EXPECT_EQ(fit(loose, ColumnKind::id), TextFit::compares_loosely) << loose;
        EXPECT_EQ(fit(loose, ColumnKind::name), TextFit::holds) << loose;
    }
}

TEST(Catalog, One_default_has_one_text_for_all_spellings) {
    const auto sqlite = kSqliteCatalog.plain_default;
    EXPECT_EQ(sqlite("(strftime('%Y', 'now'))"), sqlite("strftime('%Y', 'now')"));
    EXPECT_NE(sqlite("1"), sqlite("'1'"));
    const auto mysql = kMysqlCatalog.plain_default;
    EXPECT_EQ(mysql("current_timestamp(3)"), mysql("CURRENT_TIMESTAMP(3)"));
    EXPECT_EQ(mysql("'UTC'"), mysql("UTC"));
    EXPECT_EQ(mysql("true"), mysql("1"));
    EXPECT_EQ(mysql("FALSE"), mysql("0"));
    EXPECT_EQ(mysql("''"), "");
    EXPECT_NE(mysql("3"), mysql("5"));
    const auto postgresql = kPostgresqlCatalog.plain_default;
    EXPECT_EQ(postgresql("'UTC'::character varying"), "'UTC'");
    EXPECT_EQ(postgresql("''::character varying"), "''");
    EXPECT_EQ(
        postgresql("(now() AT TIME ZONE 'UTC'::text)"), postgresql("(now() AT TIME ZONE 'UTC')")
    );
    EXPECT_EQ(postgresql("timezone('UTC'::text, now())"), postgresql("(now() AT TIME ZONE 'UTC')"));
    EXPECT_NE(postgresql("now()"), postgresql("'now'::text"));
}

constexpr std::array kAllDialects{&kSqliteDialect, &kMysqlDialect, &kPostgresqlDialect};

const Table kOrders{
    "ORDERS",
    {
        {"ID_", ColumnKind::id, "", true},
        {"TITLE_", ColumnKind::name, "''"},
        {"PLACED_", ColumnKind::timestamp, "now"},
        {"SUM_", ColumnKind::big_integer, "0", true},
        {"SCAN_", ColumnKind::bytes},
    },
    "ID_",
    {{"IDX_ORDERS_PLACED", "PLACED_", "the latest orders"}},
};

TEST(Ddl, A_table_reads_well_on_sqlite) {
    EXPECT_EQ(create_table(kOrders, kSqliteDialect), R"(CREATE TABLE IF NOT EXISTS ORDERS (
    ID_     TEXT NOT NULL,
    TITLE_  TEXT DEFAULT '',
    PLACED_ TEXT DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now')),
    SUM_    BIGINT NOT NULL DEFAULT 0,
    SCAN_   BLOB,
    PRIMARY KEY (ID_)
))");
}

TEST(Ddl, On_sqlite_a_table_of_jobs_refuses_values_that_no_job_can_have) {
    const Table& jobs = *std::ranges::find(schema::tables(), "ACT_RU_TIMER_JOB", &Table::name);
    const std::string sql = create_table(jobs, kSqliteDialect);
    for (const ColumnCheck& check : kSqliteDialect.tables.checks) {
        const std::string constraint = "\n        CONSTRAINT \"" + std::string(check.name) +
                                       "\" CHECK (" + std::string(check.condition) + "),\n";
        EXPECT_THAT(sql, HasSubstr(constraint)) << check.column;
    }
    const Table& dead = *std::ranges::find(schema::tables(), "ACT_RU_DEADLETTER_JOB", &Table::name);
    EXPECT_THAT(create_table(dead, kSqliteDialect), Not(HasSubstr("RETRIES_")));
    EXPECT_THAT(create_table(jobs, kMysqlDialect), Not(HasSubstr("CHECK")));
    EXPECT_THAT(create_table(jobs, kPostgresqlDialect), Not(HasSubstr("CHECK")));
}

TEST(Ddl, A_table_reads_well_on_mysql) {
    EXPECT_EQ(create_table(kOrders, kMysqlDialect), R"(CREATE TABLE IF NOT EXISTS ORDERS (
    ID_     varchar(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    TITLE_  varchar(255) DEFAULT '',
    PLACED_ timestamp(3) NULL DEFAULT CURRENT_TIMESTAMP(3),
    SUM_    bigint NOT NULL DEFAULT 0,
    SCAN_   longblob,
    PRIMARY KEY (ID_)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin)");
}

TEST(Ddl, A_table_reads_well_on_postgresql) {
    EXPECT_EQ(
        create_table(kOrders, kPostgresqlDialect),
        R"(CREATE TABLE IF NOT EXISTS ORDERS (
    ID_     varchar(64) COLLATE "C" NOT NULL,
    TITLE_  varchar(255) DEFAULT '',
    PLACED_ timestamp(3) DEFAULT (now() AT TIME ZONE 'UTC'),
    SUM_    bigint NOT NULL DEFAULT 0,
    SCAN_   bytea,
    PRIMARY KEY (ID_)
))"
    );
}

TEST(Ddl, An_index_says_which_query_it_serves) {
    EXPECT_EQ(
        create_index(kOrders.name, kOrders.indexes.front(), kSqliteDialect),
        "-- Serves: the latest orders.\n"
        "CREATE INDEX IF NOT EXISTS IDX_ORDERS_PLACED ON ORDERS (PLACED_)"
    );
}

TEST(Ddl, Only_mariadb_sees_if_not_exists_of_an_index) {
    EXPECT_THAT(
        create_index(kOrders.name, kOrders.indexes.front(), kMysqlDialect),
        HasSubstr("CREATE INDEX /*M! IF NOT EXISTS */ IDX_ORDERS_PLACED ON ORDERS (PLACED_)")
    );
}

TEST(Ddl, Optional_indexes_are_not_created_with_the_tables) {
    for (const Dialect* const dialect : kAllDialects) {
        for (const OptionalIndex& index : schema::optional_indexes()) {
            const std::string create = create_index(index.table, index.index, *dialect);
            EXPECT_THAT(create_statements(*dialect), Not(testing::Contains(create)));
        }
    }
    EXPECT_EQ(drop_index(kPriorityIndex, kSqliteDialect), "DROP INDEX JS_IDX_JOB_PRIORITY");
    EXPECT_EQ(
        drop_index(kPriorityIndex, kMysqlDialect), "DROP INDEX JS_IDX_JOB_PRIORITY ON ACT_RU_JOB"
    );
}

TEST(Ddl, Only_postgresql_has_partial_indexes) {
    const auto create = [](const Dialect& dialect) {
        return create_index(kPriorityIndex.table, kPriorityIndex.index, dialect);
    };
    EXPECT_THAT(create(kSqliteDialect), testing::EndsWith("(PRIORITY_, ID_)"));
    EXPECT_THAT(create(kMysqlDialect), testing::EndsWith("(PRIORITY_, ID_)"));
    EXPECT_THAT(
        create(kPostgresqlDialect),
        testing::EndsWith("(PRIORITY_, ID_) WHERE HANDLER_TYPE_ IS NOT NULL")
    );
}

TEST(Ddl, Each_step_of_a_migration_changes_something_on_some_database) {
    std::map<int, std::size_t> statements;
    for (const Dialect* const dialect : kAllDialects) {
        for (const Migration& migration : migrations(*dialect)) {
            statements[migration.version] += migration.statements.size();
        }
    }
    // What these change is looked up in the database: see widen_app_ids and complete_tables.
    statements.erase(7);
    statements.erase(17);
    statements.erase(24);
    EXPECT_THAT(statements, testing::Each(testing::Pair(testing::_, testing::Gt(0U))));
}

TEST(Ddl, An_added_column_brings_its_default) {
    EXPECT_EQ(
        add_column(kOrders, kOrders.columns[3], kPostgresqlDialect),
        "ALTER TABLE ORDERS ADD COLUMN SUM_ bigint NOT NULL DEFAULT 0"
    );
}

TEST(Ddl, An_empty_database_gets_every_table_and_index_and_its_version) {
    for (const Dialect* const dialect : kAllDialects) {
        const auto statements = create_statements(*dialect);
        for (const Table& table : schema::tables()) {
            EXPECT_THAT(statements, testing::Contains(create_table(table, *dialect))) << table.name;
            for (const Index& index : table.indexes) {
                EXPECT_THAT(
                    statements, testing::Contains(create_index(table.name, index, *dialect))
                );
            }
        }
        EXPECT_THAT(
            statements.back(),
            HasSubstr("VALUES ('jobstrand.schema.version', '" + std::to_string(kSchemaVersion))
        );
    }
}

TEST(Ddl, Statements_have_no_final_semicolon) {
    for (const Dialect* const dialect : kAllDialects) {
        EXPECT_THAT(create_statements(*dialect), testing::Each(Not(testing::EndsWith(";"))));
    }
}

TEST(Ddl, Migrations_are_numbered_without_gaps_up_to_the_current_version) {
    for (const Dialect* const dialect : kAllDialects) {
        int version = 0;
        for (const Migration& migration : migrations(*dialect)) {
            EXPECT_EQ(migration.version, ++version);
            EXPECT_FALSE(migration.description.empty());
        }
        EXPECT_EQ(version, kSchemaVersion);
    }
}

class SchemaCheck : public testing::Test {
protected:
    [[nodiscard]] std::vector<std::string> descriptions() const {
        return test::differences_of(*connection_);
    }

    void mend() const { test::mend_differences(*connection_); }

    /// This is the only difference, and no statement mends it.
    void expect_left_to_a_person(std::string_view description) const {
        const auto differences = check_schema(*connection_).differences;
        ASSERT_EQ(differences.size(), 1U);
        EXPECT_EQ(differences.front().description, description);
        EXPECT_TRUE(differences.front().mend.empty());
    }

    test::SqliteFile file_;
    std::unique_ptr<Connection> connection_ = file_.connect();
};

TEST_F(SchemaCheck, Names_a_missing_column_and_mends_it) {
    connection_->run_script("ALTER TABLE ACT_RU_JOB DROP COLUMN PRIORITY_");
    EXPECT_EQ(
        descriptions(), std::vector<std::string>{"the column ACT_RU_JOB.PRIORITY_ is missing"}
    );
    mend();
    EXPECT_TRUE(descriptions().empty());
}

TEST_F(SchemaCheck, Names_a_missing_index_and_mends_it) {
    for (const schema::Table& table : schema::tables()) {
        for (const schema::Index& index : table.indexes) {
            connection_->run_script("DROP INDEX " + std::string(index.name));
            const std::string expected = "the index " + std::string(index.name) + " of " +
                                         std::string(table.name) + " is missing";
            EXPECT_EQ(descriptions(), std::vector<std::string>{expected});
            mend();
            EXPECT_TRUE(descriptions().empty());
        }
    }
}

TEST_F(SchemaCheck, Names_a_missing_table_and_mends_it_with_its_indexes) {
    for (const schema::Table& table : schema::tables()) {
        connection_->run_script("DROP TABLE " + std::string(table.name));
        ASSERT_EQ(descriptions().size(), 1 + table.indexes.size());
        EXPECT_EQ(descriptions().front(), "the table " + std::string(table.name) + " is missing");
        mend();
        upgrade_schema(*connection_);  // The version was in one of them.
        EXPECT_TRUE(descriptions().empty());
    }
}

TEST_F(SchemaCheck, Every_column_that_can_be_dropped_can_be_mended_in_a_table_with_rows) {
    connection_->run_script("INSERT INTO ACT_RU_DEADLETTER_JOB (ID_) VALUES ('a')");
    for (const schema::Table& table : schema::tables()) {
        if (table.name != "ACT_RU_DEADLETTER_JOB") {
            continue;
        }
        for (const schema::Column& column : table.columns) {
            const bool is_indexed = column.name == table.indexes.front().columns;
            if (column.name == table.primary_key || column.name == "CREATE_TIME_" || is_indexed) {
                continue;
            }
            connection_->run_script(
                "ALTER TABLE ACT_RU_DEADLETTER_JOB DROP COLUMN " + std::string(column.name)
            );
            EXPECT_EQ(descriptions().size(), 1U) << column.name;
            EXPECT_NO_THROW(mend()) << column.name;
        }
    }
    EXPECT_TRUE(descriptions().empty());
}

TEST_F(SchemaCheck, Leaves_a_column_with_a_computed_default_to_a_person) {
    connection_->run_script("ALTER TABLE ACT_RU_JOB DROP COLUMN CREATE_TIME_");
    expect_left_to_a_person("the column ACT_RU_JOB.CREATE_TIME_ is missing");
}

TEST_F(SchemaCheck, Leaves_a_column_of_the_wrong_type_to_a_person) {
    connection_->run_script(
        "ALTER TABLE ACT_RU_JOB DROP COLUMN RETRIES_;"
        "ALTER TABLE ACT_RU_JOB ADD COLUMN RETRIES_ varchar(255) DEFAULT 3"
    );
    expect_left_to_a_person(
        "the column ACT_RU_JOB.RETRIES_ has the type varchar(255), which cannot hold its values"
    );
}

TEST_F(SchemaCheck, Other_types_that_hold_the_same_values_are_no_differences) {
    connection_->run_script(
        "ALTER TABLE ACT_RU_JOB DROP COLUMN RETRIES_;"
        "ALTER TABLE ACT_RU_JOB ADD COLUMN RETRIES_ BIGINT DEFAULT 3;"
        "ALTER TABLE ACT_RU_JOB DROP COLUMN DUEDATE_;"
        "ALTER TABLE ACT_RU_JOB ADD COLUMN DUEDATE_ timestamp(3);"
        "ALTER TABLE ACT_RU_JOB DROP COLUMN EXCLUSIVE_;"
        "ALTER TABLE ACT_RU_JOB ADD COLUMN EXCLUSIVE_ boolean DEFAULT true"
    );
    EXPECT_EQ(descriptions(), std::vector<std::string>{});
}

TEST_F(SchemaCheck, What_an_app_adds_is_no_difference) {
    connection_->run_script(
        "ALTER TABLE ACT_RU_JOB ADD COLUMN INVOICE_NUMBER_ integer;"
        "CREATE INDEX APP_IDX ON ACT_RU_JOB (INVOICE_NUMBER_);"
        "CREATE TABLE INVOICE (ID_ integer PRIMARY KEY AUTOINCREMENT)"
    );
    EXPECT_EQ(descriptions(), std::vector<std::string>{});
    EXPECT_EQ(
        test::remarks_of(*connection_),
        std::vector<std::string>{"the index APP_IDX of ACT_RU_JOB (INVOICE_NUMBER_) is not "
                                 "Jobstrand's: every insert and delete writes it"}
    );
}

/// What only a SQLite file can show of it; the rest is in schema_test.cpp.
class SchemaMigration : public testing::Test {
protected:
    /// The first column of the first row.
    std::string value_of(std::string_view sql) {
        std::string value;
        connection_->query({.sql = sql, .columns = 1}, {}, [&value](const Row& row) {
            value = row.text(0);
        });
        return value;
    }

    test::SqliteFile file_ = test::SqliteFile::without_schema();
    std::unique_ptr<Connection> connection_ = file_.connect();
};

TEST_F(SchemaMigration, A_second_upgrade_changes_nothing) {
    upgrade_schema(*connection_);
    const std::string schema = value_of("SELECT group_concat(sql, ';') FROM sqlite_master");
    const UpgradeResult result = upgrade_schema(*connection_);
    EXPECT_EQ(result.from, kSchemaVersion);
    EXPECT_EQ(result.to, kSchemaVersion);
    EXPECT_EQ(value_of("SELECT group_concat(sql, ';') FROM sqlite_master"), schema);
    EXPECT_EQ(value_of("SELECT count(*) FROM ACT_GE_PROPERTY"), "1");
}

TEST_F(SchemaMigration, A_step_that_fails_takes_everything_back) {
    connection_->run_script("CREATE VIEW ACT_RU_TIMER_JOB AS SELECT 1 AS ID_");
    EXPECT_THROW(upgrade_schema(*connection_), DbError);
    EXPECT_EQ(value_of("SELECT count(*) FROM sqlite_master"), "1");
    connection_->run_script("DROP VIEW ACT_RU_TIMER_JOB");
    EXPECT_EQ(upgrade_schema(*connection_).from, 0);
}

// Where no lock keeps several from making the tables at once, as on a Galera cluster.
TEST_F(SchemaMigration, A_table_that_another_makes_meanwhile_is_not_taken_for_a_strangers) {
    test::FaultPlan plan;
    test::FaultyConnection reader(file_.connect(), plan);
    plan.interleave(test::FaultPoint::query, 1, [this] { upgrade_schema(*connection_); });
    EXPECT_FALSE(has_others_tables(reader));
    EXPECT_EQ(value_of("SELECT count(*) FROM ACT_GE_PROPERTY"), "1");
}

/// Runs in a process of its own, which waits until `start` is closed. Returns its id.
pid_t upgrade_in_a_process(const test::SqliteFile& file, int start, int start_writer) {
    const pid_t child = fork();
    if (child != 0) {
        return child;
    }
    close(start_writer);
    int exit_code = 1;
    try {
        const auto connection = file.connect();
        char nothing = 0;
        while (read(start, &nothing, 1) > 0) {
        }
        upgrade_schema(*connection);
        exit_code = check_schema(*connection).differences.empty() ? 0 : 2;
    } catch (const std::exception&) {
        exit_code = 3;
    }
    _exit(exit_code);
}

TEST_F(SchemaMigration, Several_processes_at_once_create_it_once) {
    connection_.reset();
    int start[2];
    ASSERT_EQ(pipe(start), 0);
    std::vector<pid_t> children;
    for (int i = 0; i < 4; ++i) {
        children.push_back(upgrade_in_a_process(file_, start[0], start[1]));
        ASSERT_GT(children.back(), 0);
    }
    close(start[0]);
    close(start[1]);
    for (const pid_t child : children) {
        int status = 0;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        EXPECT_TRUE(WIFEXITED(status));
        EXPECT_EQ(WEXITSTATUS(status), 0);
    }
    connection_ = file_.connect();
    EXPECT_EQ(value_of("SELECT count(*) FROM ACT_GE_PROPERTY"), "1");
    EXPECT_TRUE(check_schema(*connection_).differences.empty());
}

}  // namespace

}  // namespace jobstrand::persistence
