#include "persistence/drivers/mysql/mysql_dialect.hpp"
#include "persistence/migration/schema_migration.hpp"
#include "persistence/migration/table_changes.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/session_pool.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "schema/tables.hpp"
#include "schema/text/time_text.hpp"
#include "schema/time.hpp"
#include "test/fixtures/job_builder.hpp"
#include "test/fixtures/open_store.hpp"
#include "test/persistence/adapter_test.hpp"
#include "test/persistence/schema_differences.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <string_view>

namespace jobstrand::test {

namespace {

using persistence::have_times_an_early_end;
using persistence::make_times_last;
using persistence::upgrade_schema;
using schema::JobPlace;
using schema::TimePoint;

constexpr std::string_view kEndless =
    "SELECT COUNT(*) FROM information_schema.columns a, information_schema.columns b, "
    "information_schema.columns c WHERE a.column_name = CONCAT(b.table_name, c.data_type)";

class MysqlOpening : public AdapterTest {};

ON_MYSQL(MysqlOpening);

TEST_P(MysqlOpening, Sets_up_the_session_whatever_the_defaults_of_the_server_are) {
    EXPECT_EQ(text_of("SELECT @@time_zone"), "+00:00");
    EXPECT_EQ(text_of("SELECT @@autocommit"), "1");
    EXPECT_EQ(text_of("SELECT @@character_set_client"), "utf8mb4");
    EXPECT_EQ(text_of("SELECT @@character_set_connection"), "utf8mb4");
    EXPECT_EQ(text_of("SELECT @@character_set_results"), "utf8mb4");
    EXPECT_THAT(text_of("SELECT @@sql_mode"), HasSubstr("STRICT_ALL_TABLES"));
    EXPECT_EQ(text_of("SELECT @@innodb_lock_wait_timeout"), "5");
    EXPECT_EQ(text_of("SELECT @@lock_wait_timeout"), "5");
    EXPECT_EQ(text_of("SELECT @@wait_timeout"), "600");
    EXPECT_EQ(text_of("SELECT DATABASE()"), url_.database);
}

TEST_P(MysqlOpening, Sets_what_only_mariadb_calls_so) {
    if (!is_own_server()) {
        GTEST_SKIP() << "needs MariaDB with our options";
    }
    EXPECT_EQ(text_of("SELECT @@global.time_zone"), "+05:00");
    EXPECT_EQ(text_of("SELECT @@global.tx_isolation"), "SERIALIZABLE");
    EXPECT_EQ(text_of("SELECT @@tx_isolation"), "READ-COMMITTED");
    EXPECT_EQ(std::stod(text_of("SELECT @@max_statement_time")), 30);
}

// As `keyspace:shard` of Vitess, which is spoken to in another way.
TEST_P(MysqlOpening, A_database_may_have_a_colon_in_its_name) {
    connection_->run_script("CREATE DATABASE IF NOT EXISTS `a:b`");
    url_.database = "a:b";
    connection_ = connect();
    EXPECT_EQ(text_of("SELECT DATABASE()"), "a:b");
    EXPECT_EQ(connection_->dialect().delete_where, persistence::kMysqlDialect.delete_where);
    connection_->run_script("DROP DATABASE `a:b`");
}

TEST_P(MysqlOpening, Bounds_the_time_of_a_statement_as_the_url_says) {
    url_.options["statement_timeout"] = "PT1S";
    connection_ = connect();
    expect_error(DbErrorKind::busy, [&] { static_cast<void>(text_of(kEndless)); });
    EXPECT_TRUE(connection_->is_usable());
}

TEST_P(MysqlOpening, Tells_missing_rights) {
    connection_->run_script("DROP USER IF EXISTS nobody");
    connection_->run_script("CREATE USER nobody IDENTIFIED BY 'n0b0dy-s3cret'");
    url_.user = "nobody";
    url_.password = "n0b0dy-s3cret";
    const DbError error = opening_error(url_);
    EXPECT_EQ(error.kind(), DbErrorKind::access_denied);
    EXPECT_THAT(
        error.what(), HasSubstr("GRANT SELECT, INSERT, UPDATE, DELETE ON `" + url_.database)
    );
    grant_as_told(error);
    EXPECT_NO_THROW(static_cast<void>(open_connection(url_)));
}

/// What only MySQL and MariaDB do with a connection.
class MysqlConnectionTest : public AdapterTest {
protected:
    void prepare() override { create_note_table(); }
};

ON_MYSQL(MysqlConnectionTest);

TEST_P(MysqlConnectionTest, Bytes_that_are_no_text_survive) {
    execute("INSERT INTO NOTE (ID_, LONG_) VALUES ('a', ?)", {Value{"\x01\xff"}});
    read_note("a", [](const Row& row) { EXPECT_EQ(row.text(4), "\x01\xff"); });
}

TEST_P(MysqlConnectionTest, A_time_that_the_column_cannot_hold_is_refused) {
    const TimePoint time = std::chrono::sys_days(std::chrono::year{2500} / 1 / 1);
    expect_error(DbErrorKind::too_long, [&] {
        execute("INSERT INTO NOTE (ID_, TIME_) VALUES ('a', ?)", {Value{time}});
    });
}

TEST_P(MysqlConnectionTest, A_statement_survives_a_change_of_its_table) {
    execute("INSERT INTO NOTE (ID_, TEXT_) VALUES ('a', 'text')");
    read_note("a", [](const Row&) {});
    connect()->run_script("ALTER TABLE NOTE MODIFY TEXT_ varchar(4000), ADD COLUMN LAST_ integer");
    read_note("a", [](const Row& row) { EXPECT_EQ(row.text(0), "text"); });
}

TEST_P(MysqlConnectionTest, A_text_beyond_the_letters_of_a_column_equals_nothing_in_it) {
    connection_->run_script(
        "CREATE TABLE THING (ID_ varchar(64) CHARACTER SET ascii COLLATE ascii_bin, "
        "TEXT_ varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin)"
    );
    execute("INSERT INTO THING VALUES ('a', 'ä'), ('b', 'b')");
    const std::string_view by_id = "SELECT ID_ FROM THING WHERE ID_ = ?";
    EXPECT_EQ(text_of(by_id, {Value{"ä"}}), "");
    EXPECT_EQ(text_of(by_id, {Value{"a"}}), "a") << "the statement is as good as before";
    EXPECT_EQ(text_of("SELECT COUNT(*) FROM THING WHERE ID_ < ?", {Value{"ä"}}), "2");
    const std::string_view one_of = "SELECT ID_ FROM THING WHERE ID_ IN (?, ?, ?) ORDER BY ID_";
    EXPECT_EQ(
        texts_of(one_of, {Value{"ä"}, Value{"b"}, Value{"€"}}), std::vector<std::string>{"b"}
    );
    const std::string_view both = "SELECT ID_ FROM THING WHERE TEXT_ = ? AND ID_ <> ?";
    EXPECT_EQ(text_of(both, {Value{"ä"}, Value{"ä"}}), "a");
    EXPECT_EQ(execute("UPDATE THING SET TEXT_ = ? WHERE ID_ <> ?", {Value{"ö"}, Value{"ä"}}), 2);
    EXPECT_EQ(texts_of("SELECT TEXT_ FROM THING"), (std::vector<std::string>{"ö", "ö"}));
}

TEST_P(
    MysqlConnectionTest,
    A_text_beyond_the_largest_packet_is_refused_with_the_name_of_the_bound
) {
    if (!is_own_server()) {
        GTEST_SKIP() << "makes the packets of the whole server smaller";
    }
    connection_->run_script("SET GLOBAL max_allowed_packet = 1048576");
    connection_ = connect();
    const std::string text(3'000'000, 'x');
    const auto error =
        error_of([&] { execute("INSERT INTO NOTE (ID_, LONG_) VALUES ('a', ?)", {Value{text}}); });
    connect()->run_script("SET GLOBAL max_allowed_packet = DEFAULT");
    EXPECT_EQ(error.kind(), DbErrorKind::too_long);
    EXPECT_NE(std::string(error.what()).find("max_allowed_packet"), std::string::npos);
    EXPECT_EQ(text_of("SELECT COUNT(*) FROM NOTE"), "0");
}

TEST_P(MysqlConnectionTest, A_server_that_became_a_replica_says_so) {
    if (!is_own_server()) {
        GTEST_SKIP() << "makes the whole server read-only";
    }
    connection_->run_script("CREATE OR REPLACE USER plain IDENTIFIED BY 'plain'");
    connection_->run_script("GRANT ALL ON " + url_.database + ".* TO plain");
    url_.user = "plain";
    url_.password = "plain";
    const auto plain = connect();
    connection_->run_script("SET GLOBAL read_only = ON");
    Transaction transaction(*plain);
    expect_error(DbErrorKind::read_only, [&] {
        transaction.execute("INSERT INTO NOTE (ID_) VALUES ('a')");
    });
    connection_->run_script("SET GLOBAL read_only = OFF");
    EXPECT_EQ(text_of("SELECT COUNT(*) FROM NOTE"), "0");
}

/// Times on MySQL before and after `schema upgrade --datetime`.
class MysqlDatetimes : public AdapterTest {
protected:
    void prepare() override { persistence::upgrade_schema(*connection_); }

    /// As the command does it; the connection is a new one afterwards.
    void upgrade() {
        EXPECT_TRUE(make_times_last(*connection_));
        connection_ = connect();
    }

    /// A due date as a store keeps it.
    std::optional<schema::TimePoint> stored(schema::TimePoint due) {
        const OpenStore store(url_text(url_));
        store->enqueuer().insert(
            {{JobPlace::timer, a_job("late").due_at(due)}}, persistence::IdOrigin::given
        );
        return store->jobs().find("late").value().job.due_date;
    }

    [[nodiscard]] std::vector<std::string> types_of_times() {
        return texts_of(
            "SELECT DISTINCT column_type FROM information_schema.columns WHERE "
            "table_schema = DATABASE() AND data_type IN ('timestamp', 'datetime')"
        );
    }

    const schema::TimePoint in_2040_ = schema::parse_instant("2040-02-29T12:00:00.123Z").value();
};

ON_MYSQL(MysqlDatetimes);

TEST_P(MysqlDatetimes, Are_offered_by_the_check_and_come_by_command_only) {
    EXPECT_TRUE(have_times_an_early_end(*connection_));
    EXPECT_THAT(differences_of(*connection_), IsEmpty());
    EXPECT_THAT(
        remarks_of(*connection_),
        ElementsAre(
            "times end at 2038-01-19T03:14:07.999Z: `jobstrand schema upgrade --datetime` gives "
            "them a type that lasts"
        )
    );
    EXPECT_EQ(types_of_times(), std::vector<std::string>{"timestamp(3)"});
    EXPECT_THROW((void)stored(in_2040_), std::invalid_argument);
}

TEST_P(MysqlDatetimes, Hold_due_dates_behind_2038) {
    upgrade();
    EXPECT_FALSE(have_times_an_early_end(*connection_));
    EXPECT_FALSE(make_times_last(*connection_));
    EXPECT_EQ(types_of_times(), std::vector<std::string>{"datetime(3)"});
    EXPECT_THAT(differences_of(*connection_), IsEmpty());
    EXPECT_THAT(remarks_of(*connection_), IsEmpty());
    EXPECT_EQ(stored(in_2040_), in_2040_);
}

TEST_P(MysqlDatetimes, Hold_the_last_instant_of_all) {
    upgrade();
    const schema::TimePoint last = connection_->dialect().latest_time;
    EXPECT_EQ(last, schema::kLatestInstant);
    EXPECT_EQ(stored(last), last);
}

TEST_P(MysqlDatetimes, Keep_the_times_that_were_there) {
    execute(
        "INSERT INTO ACT_RU_TIMER_JOB (ID_, DUEDATE_, CREATE_TIME_) VALUES "
        "('a', '2030-06-01 09:00:00.123', '2026-03-29 01:30:00.5')"
    );
    execute("INSERT INTO JS_SUSPENSION (SCOPE_, ID_) VALUES ('instance', 'i')");
    const std::string since = text_of("SELECT SINCE_ FROM JS_SUSPENSION");
    upgrade();
    EXPECT_EQ(
        text_of("SELECT CAST(DUEDATE_ AS char) FROM ACT_RU_TIMER_JOB"), "2030-06-01 09:00:00.123"
    );
    EXPECT_EQ(
        text_of("SELECT CAST(CREATE_TIME_ AS char) FROM ACT_RU_TIMER_JOB"),
        "2026-03-29 01:30:00.500"
    );
    EXPECT_EQ(text_of("SELECT SINCE_ FROM JS_SUSPENSION"), since);
}

TEST_P(MysqlDatetimes, Have_a_default_in_utc_whatever_the_zone_of_the_session_is) {
    upgrade();
    connection_->run_script("SET time_zone = '+05:00'");
    execute("INSERT INTO ACT_RU_JOB (ID_) VALUES ('a')");
    EXPECT_EQ(
        text_of("SELECT ABS(TIMESTAMPDIFF(SECOND, CREATE_TIME_, UTC_TIMESTAMP())) < 60 FROM "
                "ACT_RU_JOB"),
        "1"
    );
}

TEST_P(MysqlDatetimes, That_were_interrupted_go_on) {
    // The executable jobs come last: by them a connection tells what it has before it.
    connection_->run_script("ALTER TABLE JS_SERIES MODIFY COLUMN START_ datetime(3) NULL");
    connection_ = connect();
    EXPECT_TRUE(have_times_an_early_end(*connection_));
    upgrade();
    EXPECT_THAT(differences_of(*connection_), IsEmpty());
}

TEST_P(MysqlDatetimes, Are_what_later_tables_and_columns_get_too) {
    upgrade();
    connection_->run_script("DROP TABLE JS_SERIES");
    execute("UPDATE ACT_GE_PROPERTY SET VALUE_ = '1'");
    persistence::upgrade_schema(*connection_);
    EXPECT_EQ(types_of_times(), std::vector<std::string>{"datetime(3)"});
    EXPECT_THAT(differences_of(*connection_), IsEmpty());
}

class MysqlSchema : public AdapterTest {
protected:
    [[nodiscard]] std::string type_of(std::string_view table, std::string_view column) {
        return text_of(
            "SELECT CONCAT_WS(' ', COLUMN_TYPE, COLLATION_NAME) FROM information_schema.columns "
            "WHERE table_schema = DATABASE() AND table_name = ? AND column_name = ?",
            {Value{table}, Value{column}}
        );
    }
};

ON_MYSQL(MysqlSchema);

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
