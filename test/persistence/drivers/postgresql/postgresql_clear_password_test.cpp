#include "persistence/drivers/database_url.hpp"
#include "persistence/sql/db_error.hpp"
#include "test/fixtures/fake_server.hpp"
#include "test/fixtures/open_connection.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace jobstrand::test {

namespace {

using persistence::DbError;
using persistence::DbErrorKind;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kPassword = "t0p-s3cret";
const std::string kSslRequest("\0\0\0\x08\x04\xd2\x16\x2f", 8);
const std::string kGssRequest("\0\0\0\x08\x04\xd2\x16\x30", 8);
const std::string kAskForPassword("R\0\0\0\x08\0\0\0\x03", 9);
const std::string kAskForScram("R\0\0\0\x17\0\0\0\x0aSCRAM-SHA-256\0\0", 24);

/// Waits for what a login begins with, and says whether TLS is to be had.
std::string first_words(FakeTalk& client, char answer = 'N') {
    std::string words = client.receive();
    while (words == kSslRequest || words == kGssRequest) {
        client.send(std::string(1, words == kSslRequest ? answer : 'N'));
        if (words == kSslRequest && answer == 'S') {
            return words;
        }
        words = client.receive();
    }
    return words;
}

/// Listens until the client has no more to say.
void hear_out(FakeTalk& client) {
    while (!client.receive().empty()) {
    }
}

/// What the client says at the end of a login at a server that steals passwords; nullopt: it was
/// let in.
std::optional<DbError> login_at(const FakeServer& thief, const std::string& options) {
    const auto url = persistence::parse_database_url(fmt::format(
        "postgresql://jobs:{}@127.0.0.1:{}/jobs?connect_timeout=PT2S{}",
        kPassword,
        thief.port(),
        options
    ));
    try {
        static_cast<void>(open_connection(url.value()));
        return std::nullopt;
    } catch (const DbError& error) {
        return error;
    }
}

/// By the value of `ssl`; empty: the default.
class PostgresqlThief : public testing::TestWithParam<std::string> {
protected:
    /// Logs in, and expects to be told what to do, with the password still our own.
    static void expect_nothing_stolen(FakeServer& thief, const std::string& options) {
        const auto error = login_at(thief, options);
        ASSERT_TRUE(error);
        EXPECT_THAT(error->what(), Not(HasSubstr(std::string(kPassword))));
        EXPECT_THAT(thief.heard(), Not(HasSubstr(std::string(kPassword))));
    }

    [[nodiscard]] static std::string option() {
        return GetParam().empty() ? "" : "&ssl=" + GetParam();
    }
};

INSTANTIATE_TEST_SUITE_P(
    WithoutVerifiedTls,
    PostgresqlThief,
    testing::Values("", "off", "prefer", "require"),
    [](const auto& one) { return one.param.empty() ? "by_default" : one.param; }
);

TEST_P(PostgresqlThief, Without_tls_gets_no_password_for_the_asking) {
    FakeServer thief([](FakeTalk& client, int) {
        first_words(client);
        client.send(kAskForPassword);
        hear_out(client);
    });
    expect_nothing_stolen(thief, option());
}

TEST_P(PostgresqlThief, Gets_none_when_it_asks_slowly) {
    FakeServer thief([](FakeTalk& client, int) {
        first_words(client);
        client.send_slowly(kAskForPassword);
        hear_out(client);
    });
    expect_nothing_stolen(thief, option());
}

TEST_P(PostgresqlThief, Gets_none_when_it_asks_for_a_proof_first) {
    FakeServer thief([](FakeTalk& client, int) {
        first_words(client);
        client.send(kAskForScram);
        client.receive();
        client.send(kAskForPassword);
        hear_out(client);
    });
    expect_nothing_stolen(thief, option());
}

TEST_P(PostgresqlThief, Gets_none_when_it_asks_for_both_at_once) {
    FakeServer thief([](FakeTalk& client, int) {
        first_words(client);
        client.send(kAskForScram + kAskForPassword);
        hear_out(client);
    });
    expect_nothing_stolen(thief, option());
}

TEST_P(PostgresqlThief, With_a_certificate_of_its_own_gets_none_either) {
    const SelfSigned certificate;
    FakeServer thief([&certificate](FakeTalk& client, int) {
        if (first_words(client, 'S') == kSslRequest && client.begin_tls(certificate)) {
            client.receive();
            client.send(kAskForPassword);
        } else {
            client.send(kAskForPassword);
        }
        hear_out(client);
    });
    expect_nothing_stolen(thief, option());
}

TEST_P(PostgresqlThief, That_takes_its_tls_back_gets_none) {
    const SelfSigned certificate;
    FakeServer thief([](FakeTalk& client, int number) {
        first_words(client, number == 0 ? 'S' : 'N');
        client.send(kAskForPassword);
        hear_out(client);
    });
    expect_nothing_stolen(thief, option());
}

TEST(PostgresqlClearPassword, Is_refused_with_what_to_do) {
    FakeServer thief([](FakeTalk& client, int) {
        first_words(client);
        client.send(kAskForPassword);
        hear_out(client);
    });
    const auto error = login_at(thief, "&ssl=off");
    ASSERT_TRUE(error);
    EXPECT_EQ(error->kind(), DbErrorKind::access_denied);
    EXPECT_THAT(
        error->what(),
        AllOf(HasSubstr("the server wants the password itself"), HasSubstr("ssl=verify"))
    );
}

TEST(PostgresqlClearPassword, Under_require_nobody_is_told_so_much_as_the_user_without_tls) {
    FakeServer thief([](FakeTalk& client, int) {
        first_words(client);
        hear_out(client);
    });
    ASSERT_TRUE(login_at(thief, "&ssl=require"));
    EXPECT_THAT(thief.heard(), Not(HasSubstr("jobs")));
}

TEST(PostgresqlClearPassword, Is_not_sent_to_a_certificate_that_is_not_verified) {
    const SelfSigned certificate;
    FakeServer thief([&certificate](FakeTalk& client, int) {
        if (first_words(client, 'S') == kSslRequest) {
            static_cast<void>(client.begin_tls(certificate));
        }
        hear_out(client);
    });
    ASSERT_TRUE(login_at(thief, "&ssl=verify"));
    EXPECT_THAT(thief.heard(), Not(HasSubstr("jobs")));
}

TEST(PostgresqlClearPassword, Is_sent_where_the_url_allows_it) {
    FakeServer server([](FakeTalk& client, int) {
        first_words(client);
        client.send(kAskForPassword);
        hear_out(client);
    });
    static_cast<void>(login_at(server, "&ssl=off&clear_password=allow"));
    EXPECT_THAT(server.heard(), HasSubstr(std::string(kPassword)));
}

}  // namespace

}  // namespace jobstrand::test
