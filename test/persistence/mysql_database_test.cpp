#include "test/fixtures/loopback_port.hpp"
#include "test/persistence/mysql_test.hpp"

#include <gmock/gmock.h>

#include <string_view>
#include <thread>

namespace jobstrand::test {

namespace {

using persistence::DbError;
using persistence::DbErrorKind;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// The error of opening `url`; its text must never have the password in it.
DbError opening_error(const persistence::DatabaseUrl& url) {
    DbError error = error_of([&] { static_cast<void>(persistence::open_mysql(url)); });
    EXPECT_THAT(error.what(), Not(HasSubstr(url.password)));
    EXPECT_THAT(error.what(), Not(HasSubstr("\n")));
    return error;
}

constexpr std::string_view kEndless =
    "SELECT COUNT(*) FROM information_schema.columns a, information_schema.columns b, "
    "information_schema.columns c WHERE a.column_name = CONCAT(b.table_name, c.data_type)";

class MysqlOpening : public MysqlTest {};

TEST_F(MysqlOpening, Sets_up_the_session_whatever_the_defaults_of_the_server_are) {
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

TEST_F(MysqlOpening, Sets_what_only_mariadb_calls_so) {
    if (!is_own_server()) {
        GTEST_SKIP() << "needs MariaDB with our options";
    }
    EXPECT_EQ(text_of("SELECT @@global.tx_isolation"), "SERIALIZABLE");
    EXPECT_EQ(text_of("SELECT @@tx_isolation"), "READ-COMMITTED");
    EXPECT_EQ(std::stod(text_of("SELECT @@max_statement_time")), 30);
}

TEST_F(MysqlOpening, Bounds_the_time_of_a_statement_as_the_url_says) {
    url_.options["statement_timeout"] = "PT1S";
    connection_ = connect();
    EXPECT_EQ(error_of([&] { static_cast<void>(text_of(kEndless)); }).kind(), DbErrorKind::busy);
    EXPECT_TRUE(connection_->is_usable());
}

TEST_F(MysqlOpening, Tells_a_wrong_password) {
    url_.password = "wr0ng-s3cret";
    const DbError error = opening_error(url_);
    EXPECT_EQ(error.kind(), DbErrorKind::access_denied);
    EXPECT_THAT(
        error.what(),
        AllOf(
            HasSubstr("cannot open mysql://" + url_.user + ":***@" + url_.host + ":"),
            HasSubstr("refuses this user or password")
        )
    );
}

TEST_F(MysqlOpening, Tells_a_missing_database) {
    url_.database = "missing";
    const DbError error = opening_error(url_);
    EXPECT_EQ(error.kind(), DbErrorKind::unreachable);
    EXPECT_THAT(error.what(), HasSubstr("create it first"));
}

TEST_F(MysqlOpening, Tells_missing_rights) {
    connection_->run_script("DROP USER IF EXISTS nobody");
    connection_->run_script("CREATE USER nobody IDENTIFIED BY 'n0b0dy-s3cret'");
    url_.user = "nobody";
    url_.password = "n0b0dy-s3cret";
    const DbError error = opening_error(url_);
    EXPECT_EQ(error.kind(), DbErrorKind::access_denied);
    EXPECT_THAT(error.what(), HasSubstr("GRANT them on this database"));
}

TEST_F(MysqlOpening, Tells_a_wrong_port) {
    url_.port = free_port();
    const DbError error = opening_error(url_);
    EXPECT_EQ(error.kind(), DbErrorKind::unreachable);
    EXPECT_THAT(error.what(), HasSubstr("check host and port"));
}

TEST_F(MysqlOpening, Tells_a_wrong_host) {
    url_.host = "no-such-host.invalid";
    const DbError error = opening_error(url_);
    EXPECT_EQ(error.kind(), DbErrorKind::unreachable);
    EXPECT_THAT(error.what(), HasSubstr("no-such-host.invalid"));
}

TEST_F(MysqlOpening, Tells_that_something_else_answers) {
    const LoopbackListener listener = listen_on_free_port();
    std::jthread other_service([&] {
        const int client = ::accept(listener.socket, nullptr, nullptr);
        constexpr std::string_view greeting = "SSH-2.0-OpenSSH_9.2p1\r\n";
        EXPECT_GT(::send(client, greeting.data(), greeting.size(), MSG_NOSIGNAL), 0);
        ::close(client);
    });
    url_.port = listener.port;
    url_.options["connect_timeout"] = "PT2S";
    const DbError error = opening_error(url_);
    EXPECT_THAT(
        error.kind(), testing::AnyOf(DbErrorKind::not_a_database, DbErrorKind::unreachable)
    );
    EXPECT_THAT(error.what(), HasSubstr("check host and port"));
    ::close(listener.socket);
}

TEST_F(MysqlOpening, Gives_up_where_nobody_answers) {
    const LoopbackListener listener = listen_on_free_port();
    url_.port = listener.port;
    url_.options["connect_timeout"] = "PT1S";
    const DbError error = opening_error(url_);
    EXPECT_EQ(error.kind(), DbErrorKind::unreachable);
    ::close(listener.socket);
}

TEST_F(MysqlOpening, Does_not_go_without_the_tls_that_was_asked_for) {
    if (!is_own_server()) {
        GTEST_SKIP() << "needs a server without TLS";
    }
    url_.options["ssl"] = "require";
    const DbError error = opening_error(url_);
    EXPECT_EQ(error.kind(), DbErrorKind::unreachable);
    EXPECT_THAT(error.what(), HasSubstr("TLS"));
}

}  // namespace

}  // namespace jobstrand::test
