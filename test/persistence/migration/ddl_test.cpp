#include "persistence/migration/ddl.hpp"

#include "persistence/drivers/mysql/mysql_dialect.hpp"
#include "persistence/drivers/postgresql/postgresql_dialect.hpp"
#include "persistence/drivers/sqlite/sqlite_dialect.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace jobstrand::persistence {
namespace {

using schema::Column;
using schema::ColumnKind;
using schema::Index;
using schema::kPriorityIndex;
using schema::kSchemaVersion;
using schema::OptionalIndex;
using schema::Table;

using testing::HasSubstr;
using testing::Not;

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

}  // namespace
}  // namespace jobstrand::persistence
