#include "test/fixtures/loopback_port.hpp"
#include "test/persistence/postgresql_test.hpp"

#include <fmt/format.h>
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
    DbError error = error_of([&] { static_cast<void>(persistence::open_postgresql(url)); });
    EXPECT_THAT(error.what(), Not(HasSubstr(url.password)));
    EXPECT_THAT(error.what(), Not(HasSubstr("\n")));
    return error;
}

class PostgresqlOpening : public PostgresqlTest {
protected:
    [[nodiscard]] std::string setting(std::string_view name) {
        return text_of(fmt::format("SHOW {}", name));
    }

    /// A role that may log in and do nothing else; dropped again behind the case.
    void create_nobody() {
        connection_->run_script("DROP ROLE IF EXISTS nobody");
        connection_->run_script("CREATE ROLE nobody LOGIN PASSWORD 'n0b0dy-s3cret'");
    }

    [[nodiscard]] persistence::DatabaseUrl as_nobody() const {
        persistence::DatabaseUrl url = url_;
        url.user = "nobody";
        url.password = "n0b0dy-s3cret";
        return url;
    }
};

TEST_F(PostgresqlOpening, Sets_up_the_session_whatever_the_defaults_of_the_server_are) {
    EXPECT_EQ(setting("transaction_isolation"), "read committed");
    EXPECT_EQ(setting("timezone"), "UTC");
    EXPECT_EQ(setting("datestyle"), "ISO, YMD");
    EXPECT_EQ(setting("client_encoding"), "UTF8");
    EXPECT_EQ(setting("statement_timeout"), "30s");
    EXPECT_EQ(setting("lock_timeout"), "5s");
    EXPECT_EQ(setting("idle_in_transaction_session_timeout"), "10min");
    EXPECT_EQ(setting("application_name"), "jobstrand");
    EXPECT_EQ(setting("plan_cache_mode"), "force_generic_plan");
    EXPECT_EQ(setting("enable_seqscan"), "off");
    EXPECT_EQ(setting("jit"), "off");
    EXPECT_EQ(setting("synchronous_commit"), "on");
    EXPECT_EQ(text_of("SELECT current_database()"), url_.database);
}

TEST_F(PostgresqlOpening, Does_as_the_url_says) {
    url_.options = {
        {"statement_timeout", "PT1S"},
        {"lock_timeout", "PT2S"},
        {"application_name", "it's mine"},
        {"synchronous_commit", "off"},
        {"ssl", "off"}};
    connection_ = connect();
    EXPECT_EQ(setting("lock_timeout"), "2s");
    EXPECT_EQ(setting("application_name"), "it's mine");
    EXPECT_EQ(setting("synchronous_commit"), "off");
    EXPECT_EQ(
        error_of([&] { static_cast<void>(text_of("SELECT pg_sleep(30)")); }).kind(),
        DbErrorKind::busy
    );
    EXPECT_TRUE(connection_->is_usable());
}

TEST_F(PostgresqlOpening, Leaves_the_durability_as_the_server_has_it) {
    execute(fmt::format("ALTER DATABASE {} SET synchronous_commit = local", url_.database));
    connection_ = connect();
    EXPECT_EQ(setting("synchronous_commit"), "local");
}

TEST_F(PostgresqlOpening, Tells_a_wrong_password) {
    url_.password = "wr0ng-s3cret";
    const DbError error = opening_error(url_);
    EXPECT_EQ(error.kind(), DbErrorKind::access_denied);
    EXPECT_THAT(
        error.what(),
        AllOf(
            HasSubstr("cannot open postgresql://" + url_.user + ":***@" + url_.host + ":"),
            HasSubstr("refuses this user or password"),
            HasSubstr("28P01")
        )
    );
}

TEST_F(PostgresqlOpening, Tells_a_missing_password) {
    url_.password.clear();
    const DbError error = error_of([&] { static_cast<void>(persistence::open_postgresql(url_)); });
    EXPECT_THAT(error.what(), HasSubstr("user or password"));
}

TEST_F(PostgresqlOpening, Tells_a_missing_database) {
    url_.database = "missing";
    const DbError error = opening_error(url_);
    EXPECT_EQ(error.kind(), DbErrorKind::unreachable);
    EXPECT_THAT(error.what(), HasSubstr("create it first"));
}

TEST_F(PostgresqlOpening, Tells_missing_rights) {
    create_nobody();
    execute(fmt::format("REVOKE CONNECT ON DATABASE {} FROM PUBLIC", url_.database));
    const DbError error = opening_error(as_nobody());
    EXPECT_EQ(error.kind(), DbErrorKind::access_denied);
    EXPECT_THAT(error.what(), HasSubstr("GRANT CONNECT on this database"));
}

TEST_F(PostgresqlOpening, Tells_a_server_without_a_connection_left) {
    create_nobody();
    execute("ALTER ROLE nobody CONNECTION LIMIT 0");
    const DbError error = opening_error(as_nobody());
    EXPECT_EQ(error.kind(), DbErrorKind::busy);
    EXPECT_THAT(error.what(), HasSubstr("no connection left"));
}

TEST_F(PostgresqlOpening, Tells_a_wrong_port) {
    url_.port = free_port();
    const DbError error = opening_error(url_);
    EXPECT_EQ(error.kind(), DbErrorKind::unreachable);
    EXPECT_THAT(error.what(), HasSubstr("check host and port"));
}

TEST_F(PostgresqlOpening, Tells_a_wrong_host) {
    url_.host = "no-such-host.invalid";
    const DbError error = opening_error(url_);
    EXPECT_EQ(error.kind(), DbErrorKind::unreachable);
    EXPECT_THAT(error.what(), HasSubstr("no-such-host.invalid"));
}

TEST_F(PostgresqlOpening, Tells_a_database_that_cannot_hold_every_character) {
    for (const std::string_view encoding : {"LATIN1", "SQL_ASCII"}) {
        const std::string name = fmt::format("{}_narrow", url_.database);
        connection_->run_script(fmt::format(
            "CREATE DATABASE {} ENCODING '{}' LOCALE 'C' LOCALE_PROVIDER libc TEMPLATE template0",
            name,
            encoding
        ));
        persistence::DatabaseUrl url = url_;
        url.database = name;
        const DbError error = opening_error(url);
        EXPECT_EQ(error.kind(), DbErrorKind::other);
        EXPECT_THAT(
            error.what(), AllOf(HasSubstr(std::string(encoding)), HasSubstr("ENCODING 'UTF8'"))
        );
        connection_->run_script(fmt::format("DROP DATABASE {} WITH (FORCE)", name));
    }
}

TEST_F(PostgresqlOpening, Tells_that_something_else_answers) {
    const LoopbackListener listener = listen_on_free_port();
    std::jthread other_service([&] {
        // The second time is the question why the first one failed.
        for (int i = 0; i < 2; ++i) {
            const int client = ::accept(listener.socket, nullptr, nullptr);
            constexpr std::string_view greeting = "SSH-2.0-OpenSSH_9.2p1\r\n";
            EXPECT_GT(::send(client, greeting.data(), greeting.size(), MSG_NOSIGNAL), 0);
            ::close(client);
        }
    });
    url_.port = listener.port;
    url_.options["connect_timeout"] = "PT2S";
    const DbError error = opening_error(url_);
    EXPECT_EQ(error.kind(), DbErrorKind::not_a_database);
    EXPECT_THAT(error.what(), HasSubstr("check host and port"));
    ::shutdown(listener.socket, SHUT_RDWR);
    ::close(listener.socket);
}

TEST_F(PostgresqlOpening, Gives_up_where_nobody_answers) {
    const LoopbackListener listener = listen_on_free_port();
    url_.port = listener.port;
    url_.options["connect_timeout"] = "PT2S";
    const DbError error = opening_error(url_);
    EXPECT_EQ(error.kind(), DbErrorKind::unreachable);
    ::close(listener.socket);
}

TEST_F(PostgresqlOpening, Does_not_go_without_the_tls_that_was_asked_for) {
    if (!is_own_server()) {
        GTEST_SKIP() << "needs a server without TLS";
    }
    for (const std::string mode : {"require", "verify"}) {
        url_.options["ssl"] = mode;
        const DbError error = opening_error(url_);
        EXPECT_EQ(error.kind(), DbErrorKind::unreachable);
        EXPECT_THAT(error.what(), HasSubstr("TLS"));
    }
}

}  // namespace

}  // namespace jobstrand::test
