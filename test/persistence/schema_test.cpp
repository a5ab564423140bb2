#include "persistence/migration/ddl.hpp"
#include "persistence/migration/schema_migration.hpp"
#include "persistence/migration/table_changes.hpp"
#include "persistence/sql/connection.hpp"
#include "persistence/sql/dialect.hpp"
#include "schema/job.hpp"
#include "schema/tables.hpp"
#include "test/fixtures/signal.hpp"
#include "test/persistence/adapter_test.hpp"
#include "test/persistence/schema_differences.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <chrono>
#include <future>
#include <string>
#include <thread>

namespace jobstrand::test {

namespace {

using persistence::require_current_schema;
using persistence::schema_version;
using persistence::upgrade_schema;
using schema::kSchemaVersion;

/// On MySQL and MariaDB the ids of apps were ASCII.
void make_app_ids_narrow(persistence::Connection& connection) {
    const std::string_view earlier = connection.dialect().tables.earlier_app_ids;
    const std::string type = fmt::format("varchar(64) CHARACTER SET ascii COLLATE {}", earlier);
    if (earlier.empty()) {
        return;
    }
    for (const schema::JobPlace place : schema::kJobPlaces) {
        for (const std::string_view column :
             {"EXECUTION_ID_", "PROCESS_INSTANCE_ID_", "PROC_DEF_ID_", "ROOT_PROC_INST_ID_"}) {
            connection.run_script(fmt::format(
                "ALTER TABLE {} MODIFY COLUMN {} {}", schema::table_of(place), column, type
            ));
        }
    }
    connection.run_script("ALTER TABLE JS_SUSPENSION MODIFY COLUMN ID_ " + type + " NOT NULL");
}

/// Takes away what the versions since have brought.
void make_version_1(persistence::Connection& connection) {
    for (const schema::JobPlace place : schema::kJobPlaces) {
        const std::string table(schema::table_of(place));
        connection.run_script("ALTER TABLE " + table + " DROP COLUMN SERIES_");
        connection.run_script("ALTER TABLE " + table + " DROP COLUMN UNIQUE_KEY_");
    }
    make_app_ids_narrow(connection);
    connection.run_script("ALTER TABLE ACT_RU_JOB DROP COLUMN NEEDS_");
    connection.run_script("ALTER TABLE ACT_RU_JOB DROP COLUMN LOST_STARTS_");
    connection.run_script(fmt::format(
        fmt::runtime(connection.dialect().tables.drop_index),
        "JS_IDX_DEAD_FAILED",
        "ACT_RU_DEADLETTER_JOB"
    ));
    connection.run_script("ALTER TABLE ACT_RU_DEADLETTER_JOB DROP COLUMN FAILED_TIME_");
    for (const std::string table :
         {"JS_NODE",      "JS_CLAIM",         "JS_SERVED",     "JS_SCOPE",    "JS_RUN",
          "JS_RATE",      "JS_ASKED",         "JS_THROUGHPUT", "JS_RUN_NEWS", "JS_ENDED_RUN",
          "JS_EXCLUSIVE", "JS_WAITING",       "JS_UNIQUE",     "JS_LIMIT",    "JS_LIMITED",
          "JS_SLOT",      "JS_LIMIT_WAITING", "ACT_RU_JOBDEF", "JS_SERIES",   "JS_CALENDAR"}) {
        connection.run_script("DROP TABLE " + table);
    }
    connection.run_script(
        "UPDATE ACT_GE_PROPERTY SET VALUE_ = '1' WHERE NAME_ = 'jobstrand.schema.version'"
    );
}

/// How the tables come into a database, whatever its kind.
class SchemaTest : public AdapterTest {
protected:
    void set_version(std::string_view version) {
        upgrade_schema(*connection_);
        execute(
            "UPDATE ACT_GE_PROPERTY SET VALUE_ = ? WHERE NAME_ = ?",
            {Value{version}, Value{schema::kSchemaVersionProperty}}
        );
    }
};

ON_EVERY_DATABASE(SchemaTest);

TEST_P(SchemaTest, An_empty_database_gets_all_tables) {
    EXPECT_EQ(schema_version(*connection_), std::nullopt);
    const auto result = upgrade_schema(*connection_);
    EXPECT_EQ(result.from, 0);
    EXPECT_EQ(result.to, kSchemaVersion);
    EXPECT_EQ(schema_version(*connection_), kSchemaVersion);
    EXPECT_THAT(differences_of(*connection_), IsEmpty());
    EXPECT_NO_THROW(require_current_schema(*connection_));
}

// R140
TEST_P(SchemaTest, The_printed_schema_is_the_one_that_is_created) {
    for (const std::string& statement : persistence::create_statements(connection_->dialect())) {
        connection_->run_script(statement);
    }
    EXPECT_EQ(schema_version(*connection_), kSchemaVersion);
    EXPECT_THAT(differences_of(*connection_), IsEmpty());
}

TEST_P(SchemaTest, A_second_upgrade_changes_nothing) {
    upgrade_schema(*connection_);
    EXPECT_EQ(upgrade_schema(*connection_).from, kSchemaVersion);
    EXPECT_EQ(text_of("SELECT COUNT(*) FROM ACT_GE_PROPERTY"), "1");
}

TEST_P(SchemaTest, What_is_missing_is_found_and_mended) {
    upgrade_schema(*connection_);
    connection_->run_script("ALTER TABLE ACT_RU_JOB DROP COLUMN PRIORITY_");
    connection_->run_script(
        GetParam() == "mysql" ? "DROP INDEX JS_IDX_TIMER_DUE ON ACT_RU_TIMER_JOB"
                              : "DROP INDEX JS_IDX_TIMER_DUE"
    );
    connection_->run_script("DROP TABLE ACT_RU_DEADLETTER_JOB");
    EXPECT_THAT(
        differences_of(*connection_),
        ElementsAre(
            "the column ACT_RU_JOB.PRIORITY_ is missing",
            "the index JS_IDX_TIMER_DUE of ACT_RU_TIMER_JOB is missing",
            "the table ACT_RU_DEADLETTER_JOB is missing",
            "the index JS_IDX_DEAD_FAILED of ACT_RU_DEADLETTER_JOB is missing"
        )
    );
    mend_differences(*connection_);
    EXPECT_THAT(differences_of(*connection_), IsEmpty());
}

TEST_P(SchemaTest, A_newer_database_is_refused_and_left_as_it_is) {
    set_version("999");
    for (const DbError& error :
         {error_of([this] { upgrade_schema(*connection_); }),
          error_of([this] { require_current_schema(*connection_); })}) {
        EXPECT_EQ(error.kind(), DbErrorKind::other);
        EXPECT_EQ(
            std::string(error.what()),
            fmt::format(
                "the database has schema version 999, newer than {} of this program: use a newer "
                "jobstrand",
                kSchemaVersion
            )
        );
    }
    EXPECT_EQ(schema_version(*connection_), 999);
}

TEST_P(SchemaTest, A_version_that_is_no_number_is_an_error) {
    set_version("one");
    expect_error(
        DbErrorKind::other,
        "the property jobstrand.schema.version of ACT_GE_PROPERTY is \"one\", which is not a "
        "version",
        [this] { (void)schema_version(*connection_); }
    );
}

TEST_P(SchemaTest, Without_tables_the_message_names_the_command_that_helps) {
    expect_error(
        DbErrorKind::schema_missing,
        "the database has no tables of Jobstrand: run `jobstrand schema create`",
        [this] { require_current_schema(*connection_); }
    );
}

TEST_P(SchemaTest, A_database_of_version_1_gets_what_repeating_jobs_need) {
    upgrade_schema(*connection_);
    make_version_1(*connection_);
    execute("INSERT INTO ACT_RU_TIMER_JOB (ID_, REPEAT_) VALUES ('old', 'R/PT1H')");
    const auto result = upgrade_schema(*connection_);
    EXPECT_EQ(result.from, 1);
    EXPECT_EQ(result.to, kSchemaVersion);
    EXPECT_THAT(differences_of(*connection_), IsEmpty());
    EXPECT_EQ(text_of("SELECT REPEAT_ FROM ACT_RU_TIMER_JOB WHERE SERIES_ IS NULL"), "R/PT1H");
}

TEST_P(SchemaTest, Several_nodes_at_once_create_it_once) {
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
    EXPECT_THAT(differences_of(*connection_), IsEmpty());
}

// Who waits for a table keeps all out who come behind.
TEST_P(SchemaTest, An_index_waits_for_an_open_transaction_and_keeps_nobody_from_writing) {
    if (GetParam() == "sqlite") {
        GTEST_SKIP() << "has one writer at a time";
    }
    constexpr std::string_view kInsert =
        "INSERT INTO ACT_RU_JOB (ID_, HANDLER_TYPE_) VALUES (?, 'noop')";
    upgrade_schema(*connection_);
    const Value first{"first"};
    const Value second{"second"};
    connection_->begin();
    connection_->execute(kInsert, {&first, 1});
    const auto other = connect();
    int waits = 0;
    const persistence::TablePatience patience{
        .pause = std::chrono::milliseconds(1),
        .on_wait =
            [&] {
                if (++waits == 1) {
                    EXPECT_EQ(other->execute(kInsert, {&second, 1}), 1);
                    connection_->commit();
                }
            },
    };
    EXPECT_TRUE(persistence::create_index(*connect(), schema::kPriorityIndex, patience));
    EXPECT_GE(waits, 1);
    EXPECT_EQ(text_of("SELECT COUNT(*) FROM ACT_RU_JOB"), "2");
}

TEST_P(SchemaTest, Others_write_while_an_index_is_made) {
    if (GetParam() != "postgresql") {
        GTEST_SKIP() << "the index is made by a statement that others wait for, or that waits a "
                        "second for them";
    }
    upgrade_schema(*connection_);
    connection_->begin();
    execute("INSERT INTO ACT_RU_JOB (ID_, HANDLER_TYPE_) VALUES ('open', 'noop')");
    std::thread making([this] {
        EXPECT_TRUE(persistence::create_index(*connect(), schema::kPriorityIndex));
    });
    const auto other = connect();
    const auto is_making = [&] {
        bool is_waiting = false;
        other->query(
            {.sql = "SELECT COUNT(*) > 0 FROM pg_stat_activity WHERE datname = current_database() "
                    "AND wait_event = 'virtualxid' AND query LIKE '%CREATE INDEX CONC%'",
             .columns = 1},
            {},
            [&](const Row& row) { is_waiting = row.boolean(0); }
        );
        return is_waiting;
    };
    EXPECT_TRUE(eventually(is_making));
    EXPECT_EQ(
        other->execute("INSERT INTO ACT_RU_JOB (ID_, HANDLER_TYPE_) VALUES ('other', 'noop')", {}),
        1
    );
    EXPECT_FALSE(persistence::has_index(*other, schema::kPriorityIndex));
    connection_->commit();
    making.join();
    EXPECT_TRUE(persistence::has_index(*other, schema::kPriorityIndex));
    EXPECT_EQ(text_of("SELECT COUNT(*) FROM ACT_RU_JOB"), "2");
}

TEST_P(SchemaTest, An_index_that_finds_its_table_in_use_at_all_tries_is_given_up) {
    if (GetParam() == "sqlite") {
        GTEST_SKIP() << "has one writer at a time";
    }
    upgrade_schema(*connection_);
    connection_->begin();
    execute("INSERT INTO ACT_RU_JOB (ID_, HANDLER_TYPE_) VALUES ('open', 'noop')");
    const auto other = connect();
    const auto error = error_of([&] {
        persistence::create_index(*other, schema::kPriorityIndex, {.tries = 1, .pause = {}});
    });
    connection_->commit();
    EXPECT_EQ(error.kind(), DbErrorKind::busy);
    EXPECT_FALSE(persistence::has_index(*other, schema::kPriorityIndex));
    EXPECT_TRUE(persistence::create_index(*other, schema::kPriorityIndex));
}

}  // namespace

}  // namespace jobstrand::test
