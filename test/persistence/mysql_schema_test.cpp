#include "persistence/schema_migration.hpp"
#include "schema/ddl.hpp"
#include "test/persistence/mysql_test.hpp"
#include "test/persistence/version_1.hpp"

#include <gmock/gmock.h>

#include <future>

namespace jobstrand::test {

namespace {

using persistence::check_schema;
using persistence::DbErrorKind;
using persistence::SchemaDifference;
using persistence::upgrade_schema;
using schema::kSchemaVersion;
using testing::IsEmpty;

class MysqlSchema : public MysqlTest {
protected:
    [[nodiscard]] std::vector<std::string> differences() {
        std::vector<std::string> texts;
        for (const SchemaDifference& difference : check_schema(*connection_)) {
            texts.push_back(difference.description);
        }
        return texts;
    }

    [[nodiscard]] std::string type_of(std::string_view table, std::string_view column) {
        return text_of(
            "SELECT CONCAT_WS(' ', COLUMN_TYPE, COLLATION_NAME) FROM information_schema.columns "
            "WHERE table_schema = DATABASE() AND table_name = ? AND column_name = ?",
            {persistence::Value{table}, persistence::Value{column}}
        );
    }
};

TEST_F(MysqlSchema, An_empty_database_gets_all_tables) {
    const auto result = upgrade_schema(*connection_);
    EXPECT_EQ(result.from, 0);
    EXPECT_EQ(result.to, kSchemaVersion);
    EXPECT_THAT(differences(), IsEmpty());
    EXPECT_NO_THROW(persistence::require_current_schema(*connection_));
}

TEST_F(MysqlSchema, The_tables_name_their_character_set_whatever_that_of_the_database_is) {
    connection_->run_script("ALTER DATABASE CHARACTER SET latin1");
    upgrade_schema(*connection_);
    EXPECT_EQ(type_of("ACT_RU_JOB", "ID_"), "varchar(64) ascii_bin");
    EXPECT_EQ(type_of("ACT_RU_JOB", "HANDLER_CFG_"), "varchar(4000) utf8mb4_bin");
    EXPECT_EQ(type_of("ACT_RU_JOB", "DUEDATE_"), "timestamp(3)");
}

TEST_F(MysqlSchema, The_printed_schema_is_the_one_that_is_created) {
    for (const std::string& statement : schema::create_statements(schema::DatabaseKind::mysql)) {
        connection_->run_script(statement);
    }
    EXPECT_EQ(persistence::schema_version(*connection_), kSchemaVersion);
    EXPECT_THAT(differences(), IsEmpty());
}

TEST_F(MysqlSchema, A_second_upgrade_changes_nothing) {
    upgrade_schema(*connection_);
    EXPECT_EQ(upgrade_schema(*connection_).from, kSchemaVersion);
    EXPECT_EQ(text_of("SELECT COUNT(*) FROM ACT_GE_PROPERTY"), "1");
}

TEST_F(MysqlSchema, An_upgrade_that_was_interrupted_goes_on_where_it_stopped) {
    upgrade_schema(*connection_);
    // DDL is final on MySQL: without the version and the last table it looks like a crash.
    connection_->run_script("DELETE FROM ACT_GE_PROPERTY");
    connection_->run_script("DROP TABLE " + std::string(schema::tables().back().name));
    EXPECT_EQ(upgrade_schema(*connection_).from, 0);
    EXPECT_THAT(differences(), IsEmpty());
}

TEST_F(MysqlSchema, A_database_of_version_1_is_upgraded_and_may_be_interrupted) {
    upgrade_schema(*connection_);
    make_version_1(*connection_);
    EXPECT_EQ(upgrade_schema(*connection_).from, 1);
    EXPECT_THAT(differences(), IsEmpty());
    // As if it had stopped before the version was recorded.
    execute("UPDATE ACT_GE_PROPERTY SET VALUE_ = '1'");
    connection_->run_script("ALTER TABLE ACT_RU_EXTERNAL_JOB DROP COLUMN SERIES_");
    EXPECT_EQ(upgrade_schema(*connection_).from, 1);
    EXPECT_THAT(differences(), IsEmpty());
}

TEST_F(MysqlSchema, What_is_missing_is_found_and_mended) {
    upgrade_schema(*connection_);
    connection_->run_script("ALTER TABLE ACT_RU_JOB DROP COLUMN PRIORITY_");
    connection_->run_script("DROP INDEX JS_IDX_TIMER_DUE ON ACT_RU_TIMER_JOB");
    connection_->run_script("DROP TABLE ACT_RU_DEADLETTER_JOB");
    EXPECT_THAT(
        differences(),
        testing::ElementsAre(
            "the column ACT_RU_JOB.PRIORITY_ is missing",
            "the index JS_IDX_TIMER_DUE of ACT_RU_TIMER_JOB is missing",
            "the table ACT_RU_DEADLETTER_JOB is missing"
        )
    );
    for (const SchemaDifference& difference : check_schema(*connection_)) {
        connection_->run_script(difference.mend);
    }
    EXPECT_THAT(differences(), IsEmpty());
}

TEST_F(MysqlSchema, A_database_of_a_newer_program_is_refused) {
    upgrade_schema(*connection_);
    execute("UPDATE ACT_GE_PROPERTY SET VALUE_ = '999'");
    EXPECT_EQ(error_of([&] { upgrade_schema(*connection_); }).kind(), DbErrorKind::other);
}

TEST_F(MysqlSchema, Several_nodes_at_once_create_it_once) {
    std::vector<std::future<int>> nodes;
    for (int i = 0; i < 4; ++i) {
        nodes.push_back(std::async(std::launch::async, [this] {
            return upgrade_schema(*connect()).from;
        }));
    }
    int created = 0;
    for (std::future<int>& node : nodes) {
        created += node.get() == 0 ? 1 : 0;
    }
    EXPECT_EQ(created, 1);
    EXPECT_THAT(differences(), IsEmpty());
}

}  // namespace

}  // namespace jobstrand::test
