#include "persistence/migration/schema_migration.hpp"
#include "persistence/sql/db_error.hpp"
#include "schema/tables.hpp"
#include "test/fixtures/sqlite_file.hpp"
#include "test/persistence/migration/schema_differences.hpp"

#include <gtest/gtest.h>

namespace jobstrand::persistence {
namespace {

class SchemaCheck : public testing::Test {
protected:
    [[nodiscard]] std::vector<std::string> descriptions() const {
        return test::differences_of(*connection_);
    }

    void mend() const { test::mend_differences(*connection_); }

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
    const auto differences = check_schema(*connection_).differences;
    ASSERT_EQ(differences.size(), 1U);
    EXPECT_EQ(differences.front().description, "the column ACT_RU_JOB.CREATE_TIME_ is missing");
    EXPECT_TRUE(differences.front().mend.empty());
}

TEST_F(SchemaCheck, Leaves_a_column_of_the_wrong_type_to_a_person) {
    connection_->run_script(
        "ALTER TABLE ACT_RU_JOB DROP COLUMN RETRIES_;"
        "ALTER TABLE ACT_RU_JOB ADD COLUMN RETRIES_ varchar(255) DEFAULT 3"
    );
    const auto differences = check_schema(*connection_).differences;
    ASSERT_EQ(differences.size(), 1U);
    EXPECT_EQ(
        differences.front().description,
        "the column ACT_RU_JOB.RETRIES_ has the type varchar(255), which cannot hold its values"
    );
    EXPECT_TRUE(differences.front().mend.empty());
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

}  // namespace
}  // namespace jobstrand::persistence
