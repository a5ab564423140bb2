#include "persistence/drivers/mysql/mysql_dialect.hpp"
#include "test/persistence/drivers/opening_test.hpp"

#include <string_view>

namespace jobstrand::test {

namespace {

using persistence::DbError;
using persistence::DbErrorKind;
using testing::HasSubstr;

constexpr std::string_view kEndless =
    "SELECT COUNT(*) FROM information_schema.columns a, information_schema.columns b, "
    "information_schema.columns c WHERE a.column_name = CONCAT(b.table_name, c.data_type)";

class MysqlOpening : public AdapterTest {};

INSTANTIATE_TEST_SUITE_P(OnMysql, MysqlOpening, testing::Values("mysql"), name_of_database);

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
    EXPECT_EQ(error_of([&] { static_cast<void>(text_of(kEndless)); }).kind(), DbErrorKind::busy);
    EXPECT_TRUE(connection_->is_usable());
}

TEST_P(MysqlOpening, Tells_missing_rights) {
    connection_->run_script("DROP USER IF EXISTS nobody");
    connection_->run_script("CREATE USER nobody IDENTIFIED BY 'n0b0dy-s3cret'");
    url_.user = "nobody";
    url_.password = "n0b0dy-s3cret";
    const DbError error = opening_error(url_);
    EXPECT_EQ(error.kind(), DbErrorKind::access_denied);
    const std::string told = error.what();
    EXPECT_THAT(told, HasSubstr("GRANT SELECT, INSERT, UPDATE, DELETE ON `" + url_.database));
    connection_->run_script(told.substr(told.find("GRANT")));
    EXPECT_NO_THROW(static_cast<void>(open_connection(url_)));
}

}  // namespace

}  // namespace jobstrand::test
