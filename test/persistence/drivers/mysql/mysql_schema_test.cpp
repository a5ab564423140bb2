#include "persistence/migration/schema_migration.hpp"
#include "schema/tables.hpp"
#include "test/persistence/adapter_test.hpp"
#include "test/persistence/migration/schema_differences.hpp"

#include <gmock/gmock.h>

namespace jobstrand::test {

namespace {

using persistence::upgrade_schema;
using testing::IsEmpty;

class MysqlSchema : public AdapterTest {
protected:
    [[nodiscard]] std::string type_of(std::string_view table, std::string_view column) {
        return text_of(
            "SELECT CONCAT_WS(' ', COLUMN_TYPE, COLLATION_NAME) FROM information_schema.columns "
            "WHERE table_schema = DATABASE() AND table_name = ? AND column_name = ?",
            {persistence::Value{table}, persistence::Value{column}}
        );
    }
};

INSTANTIATE_TEST_SUITE_P(OnMysql, MysqlSchema, testing::Values("mysql"), name_of_database);

TEST_P(MysqlSchema, The_tables_name_their_character_set_whatever_that_of_the_database_is) {
    connection_->run_script("ALTER DATABASE CHARACTER SET latin1");
    upgrade_schema(*connection_);
    EXPECT_EQ(type_of("ACT_RU_JOB", "ID_"), "varchar(64) ascii_bin");
    EXPECT_EQ(type_of("ACT_RU_JOB", "HANDLER_CFG_"), "varchar(4000) utf8mb4_bin");
    EXPECT_EQ(type_of("ACT_RU_JOB", "DUEDATE_"), "timestamp(3)");
}

TEST_P(MysqlSchema, A_database_of_version_8_gets_pages_that_are_merged_late) {
    upgrade_schema(*connection_);
    connection_->run_script("ALTER TABLE ACT_RU_JOB COMMENT = ''");
    execute("UPDATE ACT_GE_PROPERTY SET VALUE_ = '8' WHERE NAME_ = 'jobstrand.schema.version'");
    EXPECT_EQ(upgrade_schema(*connection_).from, 8);
    EXPECT_EQ(
        text_of("SELECT TABLE_COMMENT FROM information_schema.tables "
                "WHERE table_schema = DATABASE() AND table_name = 'ACT_RU_JOB'"),
        "MERGE_THRESHOLD=10"
    );
}

TEST_P(MysqlSchema, An_upgrade_that_was_interrupted_goes_on_where_it_stopped) {
    upgrade_schema(*connection_);
    // DDL is final on MySQL: without the version and the last table it looks like a crash.
    connection_->run_script("DELETE FROM ACT_GE_PROPERTY");
    connection_->run_script("DROP TABLE " + std::string(schema::tables().back().name));
    EXPECT_EQ(upgrade_schema(*connection_).from, 0);
    EXPECT_THAT(differences_of(*connection_), IsEmpty());
}

TEST_P(MysqlSchema, An_upgrade_from_version_1_that_was_interrupted_goes_on) {
    upgrade_schema(*connection_);
    // As if it had stopped before the version was recorded.
    execute("UPDATE ACT_GE_PROPERTY SET VALUE_ = '1'");
    connection_->run_script("ALTER TABLE ACT_RU_EXTERNAL_JOB DROP COLUMN SERIES_");
    EXPECT_EQ(upgrade_schema(*connection_).from, 1);
    EXPECT_THAT(differences_of(*connection_), IsEmpty());
}

}  // namespace

}  // namespace jobstrand::test
