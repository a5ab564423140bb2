#include "persistence/sql/sql_transaction.hpp"
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
    EXPECT_EQ(
        error_of([&] { transaction.execute("INSERT INTO NOTE (ID_) VALUES ('a')"); }).kind(),
        DbErrorKind::read_only
    );
    connection_->run_script("SET GLOBAL read_only = OFF");
    EXPECT_EQ(text_of("SELECT COUNT(*) FROM NOTE"), "0");
}

}  // namespace

}  // namespace jobstrand::test
