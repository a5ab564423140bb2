#include "persistence/sql/transaction.hpp"
#include "schema/time.hpp"
#include "test/persistence/adapter_test.hpp"

#include <chrono>

namespace jobstrand::test {

namespace {

using persistence::DbErrorKind;
using persistence::Row;
using persistence::Transaction;
using persistence::Value;
using schema::TimePoint;

/// What only MySQL and MariaDB do with a connection.
class MysqlConnectionTest : public AdapterTest {
protected:
    void prepare() override { create_note_table(); }
};

INSTANTIATE_TEST_SUITE_P(OnMysql, MysqlConnectionTest, testing::Values("mysql"), name_of_database);

TEST_P(MysqlConnectionTest, Bytes_that_are_no_text_survive) {
    execute("INSERT INTO NOTE (ID_, LONG_) VALUES ('a', ?)", {Value{"\x01\xff"}});
    read_note("a", [](const Row& row) { EXPECT_EQ(row.text(4), "\x01\xff"); });
}

TEST_P(MysqlConnectionTest, A_time_that_the_column_cannot_hold_is_refused) {
    const TimePoint time = std::chrono::sys_days(std::chrono::year{2500} / 1 / 1);
    EXPECT_EQ(
        error_of([&] { execute("INSERT INTO NOTE (ID_, TIME_) VALUES ('a', ?)", {Value{time}}); }
        ).kind(),
        DbErrorKind::too_long
    );
}

TEST_P(MysqlConnectionTest, A_statement_survives_a_change_of_its_table) {
    execute("INSERT INTO NOTE (ID_, TEXT_) VALUES ('a', 'text')");
    read_note("a", [](const Row&) {});
    connect()->run_script("ALTER TABLE NOTE MODIFY TEXT_ varchar(4000), ADD COLUMN LAST_ integer");
    read_note("a", [](const Row& row) { EXPECT_EQ(row.text(0), "text"); });
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
    EXPECT_EQ(
        error_of([&] { transaction.execute("INSERT INTO NOTE (ID_) VALUES ('a')"); }).kind(),
        DbErrorKind::read_only
    );
    connection_->run_script("SET GLOBAL read_only = OFF");
    EXPECT_EQ(text_of("SELECT COUNT(*) FROM NOTE"), "0");
}

}  // namespace

}  // namespace jobstrand::test
