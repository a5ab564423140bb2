#include "persistence/schema_migration.hpp"

#include "persistence/db_error.hpp"
#include "schema/ddl.hpp"
#include "test/fixtures/sqlite_file.hpp"
#include "test/persistence/version_1.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <latch>
#include <thread>

namespace jobstrand::persistence {
namespace {

using schema::kSchemaVersion;

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

    void set_version(std::string_view version) {
        upgrade_schema(*connection_);
        const Value parameters[] = {version, schema::kSchemaVersionProperty};
        connection_->execute("UPDATE ACT_GE_PROPERTY SET VALUE_ = ? WHERE NAME_ = ?", parameters);
    }

    template <typename Call>
    void expect_error(DbErrorKind kind, std::string_view message, Call call) {
        try {
            call(*connection_);
            FAIL() << "no error";
        } catch (const DbError& error) {
            EXPECT_EQ(error.kind(), kind);
            EXPECT_EQ(error.what(), message);
        }
    }

    test::SqliteFile file_ = test::SqliteFile::without_schema();
    std::unique_ptr<Connection> connection_ = file_.connect();
};

TEST_F(SchemaMigration, An_empty_database_gets_all_tables) {
    EXPECT_EQ(schema_version(*connection_), std::nullopt);
    const UpgradeResult result = upgrade_schema(*connection_);
    EXPECT_EQ(result.from, 0);
    EXPECT_EQ(result.to, kSchemaVersion);
    EXPECT_EQ(schema_version(*connection_), kSchemaVersion);
    EXPECT_TRUE(check_schema(*connection_).empty());
    EXPECT_NO_THROW(require_current_schema(*connection_));
}

TEST_F(SchemaMigration, A_second_upgrade_changes_nothing) {
    upgrade_schema(*connection_);
    const std::string schema = value_of("SELECT group_concat(sql, ';') FROM sqlite_master");
    const UpgradeResult result = upgrade_schema(*connection_);
    EXPECT_EQ(result.from, kSchemaVersion);
    EXPECT_EQ(result.to, kSchemaVersion);
    EXPECT_EQ(value_of("SELECT group_concat(sql, ';') FROM sqlite_master"), schema);
    EXPECT_EQ(value_of("SELECT count(*) FROM ACT_GE_PROPERTY"), "1");
}

// R140
TEST_F(SchemaMigration, The_printed_schema_is_the_one_that_is_created) {
    for (const std::string& statement : schema::create_statements(schema::DatabaseKind::sqlite)) {
        connection_->run_script(statement);
    }
    EXPECT_EQ(schema_version(*connection_), kSchemaVersion);
    EXPECT_TRUE(check_schema(*connection_).empty());
}

TEST_F(SchemaMigration, A_newer_database_is_refused_and_left_as_it_is) {
    set_version("999");
    const std::string message = "the database has schema version 999, newer than " +
                                std::to_string(kSchemaVersion) +
                                " of this program: use a newer jobstrand";
    expect_error(DbErrorKind::other, message, upgrade_schema);
    expect_error(DbErrorKind::other, message, require_current_schema);
    EXPECT_EQ(schema_version(*connection_), 999);
}

TEST_F(SchemaMigration, A_version_that_is_no_number_is_an_error) {
    set_version("one");
    expect_error(
        DbErrorKind::other,
        "the property jobstrand.schema.version of ACT_GE_PROPERTY is \"one\", which is not a "
        "version",
        schema_version
    );
}

TEST_F(SchemaMigration, Without_tables_the_message_names_the_command_that_helps) {
    expect_error(
        DbErrorKind::schema_missing,
        "the database has no tables of Jobstrand: run `jobstrand schema create`",
        require_current_schema
    );
}

TEST_F(SchemaMigration, A_step_that_fails_takes_everything_back) {
    connection_->run_script("CREATE VIEW ACT_RU_TIMER_JOB AS SELECT 1 AS ID_");
    EXPECT_THROW(upgrade_schema(*connection_), DbError);
    EXPECT_EQ(value_of("SELECT count(*) FROM sqlite_master"), "1");
    connection_->run_script("DROP VIEW ACT_RU_TIMER_JOB");
    EXPECT_EQ(upgrade_schema(*connection_).from, 0);
}

/// Flowable 7, as far as these columns go.
void create_flowable_tables(Connection& connection) {
    connection.run_script(
        "CREATE TABLE ACT_GE_PROPERTY (NAME_ varchar(64), VALUE_ varchar(300), REV_ integer,"
        " PRIMARY KEY (NAME_));"
        "INSERT INTO ACT_GE_PROPERTY VALUES ('schema.version', '7.1.0.0', 1);"
        "CREATE TABLE ACT_RU_JOB (ID_ varchar(64) NOT NULL, REV_ integer, CATEGORY_ varchar(255),"
        " TYPE_ varchar(255) NOT NULL, LOCK_EXP_TIME_ timestamp(3), LOCK_OWNER_ varchar(255),"
        " EXCLUSIVE_ boolean, EXECUTION_ID_ varchar(64), PROCESS_INSTANCE_ID_ varchar(64),"
        " PROC_DEF_ID_ varchar(64), ELEMENT_ID_ varchar(255), ELEMENT_NAME_ varchar(255),"
        " SCOPE_ID_ varchar(255), SUB_SCOPE_ID_ varchar(255), SCOPE_TYPE_ varchar(255),"
        " SCOPE_DEFINITION_ID_ varchar(255), CORRELATION_ID_ varchar(255), RETRIES_ integer,"
        " EXCEPTION_STACK_ID_ varchar(64), EXCEPTION_MSG_ varchar(4000), DUEDATE_ timestamp(3),"
        " REPEAT_ varchar(255), HANDLER_TYPE_ varchar(255), HANDLER_CFG_ varchar(4000),"
        " CUSTOM_VALUES_ID_ varchar(64), CREATE_TIME_ timestamp(3), TENANT_ID_ varchar(255),"
        " PRIMARY KEY (ID_));"
        "CREATE INDEX ACT_IDX_JOB_SCOPE ON ACT_RU_JOB (SCOPE_ID_, SCOPE_TYPE_);"
        "INSERT INTO ACT_RU_JOB (ID_, TYPE_, RETRIES_) VALUES ('flowables', 'message', 2)"
    );
}

TEST_F(SchemaMigration, Tables_of_flowable_are_kept_and_get_our_columns) {
    create_flowable_tables(*connection_);
    EXPECT_EQ(schema_version(*connection_), std::nullopt);
    expect_error(
        DbErrorKind::schema_missing,
        "the tables are Flowable's, without Jobstrand's columns, which do not disturb it: run "
        "`jobstrand schema upgrade`",
        require_current_schema
    );
    const UpgradeResult result = upgrade_schema(*connection_);
    EXPECT_EQ(result.from, 0);
    for (const SchemaDifference& difference : check_schema(*connection_)) {
        ADD_FAILURE() << difference.description;
    }
    EXPECT_EQ(value_of("SELECT RETRIES_ FROM ACT_RU_JOB WHERE ID_ = 'flowables'"), "2");
    EXPECT_EQ(value_of("SELECT PRIORITY_ FROM ACT_RU_JOB WHERE ID_ = 'flowables'"), "0");
    EXPECT_EQ(
        value_of("SELECT VALUE_ FROM ACT_GE_PROPERTY WHERE NAME_ = 'schema.version'"), "7.1.0.0"
    );
}

TEST_F(SchemaMigration, A_database_of_version_1_gets_what_repeating_jobs_need) {
    upgrade_schema(*connection_);
    test::make_version_1(*connection_);
    connection_->run_script("INSERT INTO ACT_RU_TIMER_JOB (ID_, REPEAT_) VALUES ('old', 'R/PT1H')");
    const UpgradeResult result = upgrade_schema(*connection_);
    EXPECT_EQ(result.from, 1);
    EXPECT_EQ(result.to, kSchemaVersion);
    EXPECT_TRUE(check_schema(*connection_).empty());
    EXPECT_EQ(value_of("SELECT REPEAT_ FROM ACT_RU_TIMER_JOB WHERE SERIES_ IS NULL"), "R/PT1H");
}

TEST_F(SchemaMigration, Many_threads_at_once_create_it_once) {
    constexpr int kThreads = 6;
    std::latch start(kThreads);
    std::vector<std::string> errors(kThreads);
    std::vector<UpgradeResult> results(kThreads);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < kThreads; ++i) {
        threads.emplace_back([&, i] {
            try {
                const auto connection = file_.connect();
                start.arrive_and_wait();
                results[i] = upgrade_schema(*connection);
            } catch (const DbError& error) {
                errors[i] = error.what();
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(errors, std::vector<std::string>(kThreads));
    EXPECT_EQ(std::ranges::count(results, 0, &UpgradeResult::from), 1);
    EXPECT_TRUE(check_schema(*connection_).empty());
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
        exit_code = check_schema(*connection).empty() ? 0 : 2;
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
    EXPECT_TRUE(check_schema(*connection_).empty());
}

}  // namespace
}  // namespace jobstrand::persistence
