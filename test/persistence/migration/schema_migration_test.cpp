#include "persistence/migration/schema_migration.hpp"

#include "persistence/migration/schema_check.hpp"
#include "persistence/sql/db_error.hpp"
#include "schema/tables.hpp"
#include "test/fixtures/faulty_connection.hpp"
#include "test/fixtures/sqlite_file.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace jobstrand::persistence {
namespace {

using schema::kSchemaVersion;

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
