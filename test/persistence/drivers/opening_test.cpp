#include "test/persistence/drivers/opening_test.hpp"

#include "test/fixtures/loopback_port.hpp"

#include <fmt/format.h>

#include <thread>

namespace jobstrand::test {

namespace {

using persistence::DbError;
using persistence::DbErrorKind;
using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;

/// What is said when a server cannot be opened.
class ServerOpening : public AdapterTest {};

INSTANTIATE_TEST_SUITE_P(
    OnEveryServer,
    ServerOpening,
    testing::ValuesIn(kEveryServer),
    name_of_database
);

TEST_P(ServerOpening, Tells_a_wrong_password) {
    url_.password = "wr0ng-s3cret";
    const DbError error = opening_error(url_);
    EXPECT_EQ(error.kind(), DbErrorKind::access_denied);
    EXPECT_THAT(
        error.what(),
        AllOf(
            HasSubstr(fmt::format("cannot open {}://{}:***@{}:", GetParam(), url_.user, url_.host)),
            HasSubstr("refuses this user or password"),
            HasSubstr(GetParam() == "mysql" ? "1045" : "28P01")
        )
    );
}

TEST_P(ServerOpening, Tells_a_missing_database) {
    url_.database = "missing";
    const DbError error = opening_error(url_);
    EXPECT_EQ(error.kind(), DbErrorKind::unreachable);
    EXPECT_THAT(error.what(), HasSubstr("create it first"));
}

TEST_P(ServerOpening, Tells_a_wrong_port) {
    url_.port = free_port();
    const DbError error = opening_error(url_);
    EXPECT_EQ(error.kind(), DbErrorKind::unreachable);
    EXPECT_THAT(error.what(), HasSubstr("check host and port"));
}

TEST_P(ServerOpening, Tells_a_wrong_host) {
    url_.host = "no-such-host.invalid";
    const DbError error = opening_error(url_);
    EXPECT_EQ(error.kind(), DbErrorKind::unreachable);
    EXPECT_THAT(error.what(), HasSubstr("no-such-host.invalid"));
}

TEST_P(ServerOpening, Tells_that_something_else_answers) {
    const LoopbackListener listener = listen_on_free_port();
    std::jthread other_service([&] {
        // PostgreSQL's driver comes back with the question why it failed.
        for (int client; (client = ::accept(listener.socket, nullptr, nullptr)) >= 0;) {
            constexpr std::string_view greeting = "SSH-2.0-OpenSSH_9.2p1\r\n";
            EXPECT_GT(::send(client, greeting.data(), greeting.size(), MSG_NOSIGNAL), 0);
            ::close(client);
        }
    });
    url_.port = listener.port;
    url_.options["connect_timeout"] = "PT2S";
    const DbError error = opening_error(url_);
    ::shutdown(listener.socket, SHUT_RDWR);
    other_service.join();
    ::close(listener.socket);
    EXPECT_THAT(error.what(), HasSubstr("check host and port"));
    if (GetParam() == "mysql") {
        EXPECT_THAT(error.kind(), AnyOf(DbErrorKind::not_a_database, DbErrorKind::unreachable));
    } else {
        EXPECT_EQ(error.kind(), DbErrorKind::not_a_database);
    }
}

TEST_P(ServerOpening, Gives_up_where_nobody_answers) {
    const LoopbackListener listener = listen_on_free_port();
    url_.port = listener.port;
    url_.options["connect_timeout"] = "PT2S";
    const DbError error = opening_error(url_);
    EXPECT_EQ(error.kind(), DbErrorKind::unreachable);
    ::close(listener.socket);
}

TEST_P(ServerOpening, Does_not_go_without_the_tls_that_was_asked_for) {
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
