#include "persistence/drivers/database_url.hpp"
#include "persistence/sql/db_error.hpp"
#include "test/fixtures/fake_server.hpp"
#include "test/fixtures/self_signed.hpp"
#include "test/fixtures/server_database.hpp"
#include "test/fixtures/temporary_directory.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

namespace jobstrand::test {

namespace {

using persistence::DbError;
using persistence::DbErrorKind;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::string_view kPassword = "t0p-s3cret";

/// Listens until the client has no more to say.
void hear_out(FakeTalk& client) {
    while (!client.receive().empty()) {
    }
}

/// What the client says at the end of a login at a server that steals passwords; nullopt: it was
/// let in.
std::optional<DbError>
login_at(std::string_view scheme, const FakeServer& thief, const std::string& options) {
    const auto url = persistence::parse_database_url(fmt::format(
        "{}://jobs:{}@127.0.0.1:{}/jobs?connect_timeout=PT2S{}",
        scheme,
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

/// The client says what to do so that it may send the password itself.
void expect_advice(const std::optional<DbError>& error) {
    ASSERT_TRUE(error);
    EXPECT_EQ(error->kind(), DbErrorKind::access_denied);
    EXPECT_THAT(
        error->what(),
        AllOf(HasSubstr("the server wants the password itself"), HasSubstr("ssl=verify"))
    );
}

constexpr unsigned kTlsFlag = 0x0800;
constexpr std::size_t kTlsRequest = 36;  ///< The bytes that a client says before TLS begins.

std::string packet(int number, const std::string& content) {
    std::string bytes;
    bytes += static_cast<char>(content.size() & 0xFFU);
    bytes += static_cast<char>(content.size() >> 8U);
    bytes += '\0';
    bytes += static_cast<char>(number);
    return bytes + content;
}

/// What a server says first: version, a challenge, what it can do, and how it wants to be
/// convinced.
std::string greeting(bool has_tls, const std::string& plugin) {
    const unsigned flags = 0xF7FFU | (has_tls ? kTlsFlag : 0U);
    std::string bytes(
        "\x0a"
        "8.0.40\0"
        "\1\0\0\0"
        "12345678\0",
        21
    );
    bytes += static_cast<char>(flags & 0xFFU);
    bytes += static_cast<char>(flags >> 8U);
    bytes += std::string("\x2d\2\0\x08\0\x15", 6);
    bytes += std::string(10, '\0');
    bytes += std::string("123456789012\0", 13);
    return packet(0, bytes + plugin + '\0');
}

/// "Convince me in another way."
std::string switch_to(int number, const std::string& plugin) {
    return packet(number, '\xfe' + plugin + '\0' + "12345678901234567890" + '\0');
}

/// By the way to log in that the thief asks for, and the value of `ssl`. All of these ways send the
/// password itself, or encrypted for the thief's own key.
class MysqlThief : public testing::TestWithParam<std::tuple<std::string, std::string>> {
protected:
    [[nodiscard]] static std::string plugin() { return std::get<0>(GetParam()); }
    [[nodiscard]] static std::string option() { return "&ssl=" + std::get<1>(GetParam()); }
};

INSTANTIATE_TEST_SUITE_P(
    WithoutVerifiedTls,
    MysqlThief,
    testing::Combine(
        testing::Values(
            "mysql_clear_password",
            "dialog",
            "sha256_password",
            "caching_sha2_password",
            "mysql_old_password",
            ""
        ),
        testing::Values("off", "require")
    ),
    [](const auto& one) {
        const std::string& plugin = std::get<0>(one.param);
        return (plugin.empty() ? "no_name" : plugin) + "_" + std::get<1>(one.param);
    }
);

TEST_P(MysqlThief, Hears_nothing_more_when_it_asks_for_another_way_to_log_in) {
    const SelfSigned certificate;
    std::string heard_behind;
    FakeServer thief([&](FakeTalk& client, int) {
        const bool has_tls = option() == "&ssl=require";
        client.send(greeting(has_tls, "mysql_native_password"));
        client.receive(has_tls ? kTlsRequest : 4096);
        if (has_tls && !client.begin_tls(certificate)) {
            return;
        }
        if (has_tls && client.receive().empty()) {
            return;  // It only wanted to see the certificate.
        }
        client.send(switch_to(has_tls ? 3 : 2, plugin()));
        heard_behind += client.receive();
        // The next step of caching_sha2_password: "not with the hash, with the password".
        client.send(packet(has_tls ? 5 : 4, "\1\4"));
        heard_behind += client.receive();
    });
    const auto error = login_at("mysql", thief, option());
    ASSERT_TRUE(error);
    EXPECT_THAT(error->what(), Not(HasSubstr(std::string(kPassword))));
    EXPECT_THAT(thief.heard(), Not(HasSubstr(std::string(kPassword))));
    // What has no name is answered with packets that have no content.
    if (!plugin().empty()) {
        EXPECT_THAT(heard_behind, IsEmpty());
    }
}

TEST_P(MysqlThief, Hears_nothing_when_it_begins_with_that_way) {
    FakeServer thief([](FakeTalk& client, int) {
        client.send(greeting(false, plugin()));
        hear_out(client);
    });
    ASSERT_TRUE(login_at("mysql", thief, option()));
    EXPECT_THAT(thief.heard(), Not(HasSubstr(std::string(kPassword))));
}

TEST(MysqlClearPassword, Is_refused_with_what_to_do) {
    FakeServer thief([](FakeTalk& client, int) {
        client.send(greeting(false, "mysql_native_password"));
        client.receive();
        client.send(switch_to(2, "mysql_clear_password"));
        hear_out(client);
    });
    expect_advice(login_at("mysql", thief, ""));
}

TEST(MysqlClearPassword, Under_require_a_server_without_tls_hears_nothing_at_all) {
    FakeServer thief([](FakeTalk& client, int) {
        client.send(greeting(false, "mysql_native_password"));
        hear_out(client);
    });
    const auto error = login_at("mysql", thief, "&ssl=require");
    ASSERT_TRUE(error);
    EXPECT_EQ(error->kind(), DbErrorKind::unreachable);
    EXPECT_THAT(error->what(), HasSubstr("TLS"));
    EXPECT_THAT(thief.heard(), IsEmpty());
}

TEST(MysqlClearPassword, Under_verify_ca_only_the_certificate_of_the_file_hears_a_user) {
    const TemporaryDirectory folder;
    const SelfSigned ours;
    const SelfSigned another;
    ours.write_to(folder.path());
    const std::string options = "&ssl=verify-ca&ssl_ca=" + (folder.path() / "cert.pem").string();
    for (const bool is_ours : {true, false}) {
        FakeServer server([&](FakeTalk& client, int) {
            client.send(greeting(true, "mysql_native_password"));
            client.receive(kTlsRequest);
            if (client.begin_tls(is_ours ? ours : another)) {
                hear_out(client);
            }
        });
        const auto error = login_at("mysql", server, options);
        ASSERT_TRUE(error);
        EXPECT_EQ(server.heard().find("jobs") != std::string::npos, is_ours);
        if (!is_ours) {
            EXPECT_EQ(error->kind(), DbErrorKind::unreachable);
            EXPECT_THAT(
                error->what(), HasSubstr("the server's certificate is not the one in ssl_ca")
            );
        }
    }
}

/// A server that shows `first` to the first connection and `later` to all behind it; null: it says
/// that it has no TLS.
struct UntrustedServer {
    std::string_view name;
    std::string options;
    const SelfSigned* first;
    const SelfSigned* later;
};

TEST(MysqlClearPassword, A_server_that_has_not_proven_itself_hears_no_user) {
    const TemporaryDirectory folder;
    const SelfSigned ours;
    const SelfSigned another;
    ours.write_to(folder.path());
    const std::string ours_alone = "&ssl=verify-ca&ssl_ca=" + (folder.path() / "cert.pem").string();
    for (const UntrustedServer& row :
         {UntrustedServer{"takes its TLS back under require", "&ssl=require", &ours, nullptr},
          UntrustedServer{"shows another one then under require", "&ssl=require", &ours, &another},
          UntrustedServer{"has a certificate of nobody under verify", "&ssl=verify", &ours, &ours},
          UntrustedServer{"shows another one then under verify-ca", ours_alone, &ours, &another}}) {
        SCOPED_TRACE(row.name);
        FakeServer thief([&row](FakeTalk& client, int number) {
            const SelfSigned* const certificate = number == 0 ? row.first : row.later;
            client.send(greeting(certificate != nullptr, "mysql_native_password"));
            client.receive(certificate != nullptr ? kTlsRequest : 4096);
            if (certificate != nullptr) {
                static_cast<void>(client.begin_tls(*certificate));
            }
            hear_out(client);
        });
        EXPECT_TRUE(login_at("mysql", thief, row.options));
        EXPECT_THAT(thief.heard(), Not(HasSubstr("jobs")));
    }
}

TEST(MysqlClearPassword, Goes_to_a_server_without_tls_only_for_the_key_that_we_have) {
    const TemporaryDirectory folder;
    const std::string key = (folder.path() / "public_key.pem").string();
    write_rsa_public_key(key);
#ifdef __SANITIZE_ADDRESS__
    const __lsan::ScopedDisabler no_leaks_of_the_library;  // It never frees the name of this file.
#endif
    std::string asked;
    FakeServer thief([&](FakeTalk& client, int) {
        client.send(greeting(false, "caching_sha2_password"));
        client.receive();
        client.send(packet(2, "\1\4"));
        asked = client.receive();
    });
    ASSERT_TRUE(login_at("mysql", thief, "&server_public_key=" + key));
    EXPECT_THAT(thief.heard(), Not(HasSubstr(std::string(kPassword))));
    EXPECT_GT(asked.size(), 200U) << "it is encrypted, and no key is asked for";
}

TEST(MysqlClearPassword, Goes_nowhere_without_the_key_that_the_url_names) {
    FakeServer thief([](FakeTalk& client, int) {
        client.send(greeting(false, "caching_sha2_password"));
        hear_out(client);
    });
    const auto error =
        login_at("mysql", thief, "&server_public_key=" + std::string("/no/such/file"));
    ASSERT_TRUE(error);
    EXPECT_THAT(error->what(), HasSubstr("/no/such/file has no public key in PEM"));
    EXPECT_THAT(thief.heard(), IsEmpty());
}

TEST(MysqlClearPassword, Of_mysqls_own_way_to_log_in_is_told_how_the_server_may_prove_itself) {
    FakeServer server([](FakeTalk& client, int) {
        client.send(greeting(false, "caching_sha2_password"));
        hear_out(client);
    });
    const auto error = login_at("mysql", server, "");
    ASSERT_TRUE(error);
    EXPECT_EQ(error->kind(), DbErrorKind::access_denied);
    EXPECT_THAT(
        error->what(),
        AllOf(HasSubstr("ssl=verify-ca&ssl_ca=FILE"), HasSubstr("server_public_key=FILE"))
    );
}

TEST(MysqlClearPassword, Under_require_a_server_that_hangs_up_ends_the_login_and_not_the_process) {
    FakeServer server([](FakeTalk& client, int) {
        client.send(greeting(true, "mysql_native_password"));
        client.receive(kTlsRequest);
    });
    const auto error = login_at("mysql", server, "&ssl=require");
    ASSERT_TRUE(error);
    EXPECT_EQ(error->kind(), DbErrorKind::unreachable);
    EXPECT_THAT(error->what(), HasSubstr("TLS failed"));
}

TEST(MysqlClearPassword, What_is_no_server_of_this_protocol_is_told_under_require) {
    FakeServer other([](FakeTalk& client, int) {
        client.send(packet(0, "HTTP/1.1 400 Bad Request"));
        hear_out(client);
    });
    const auto error = login_at("mysql", other, "&ssl=require");
    ASSERT_TRUE(error);
    EXPECT_EQ(error->kind(), DbErrorKind::not_a_database);
    EXPECT_THAT(other.heard(), IsEmpty());
}

TEST(MysqlClearPassword, Is_sent_where_the_url_allows_it) {
    FakeServer server([](FakeTalk& client, int) {
        client.send(greeting(false, "mysql_native_password"));
        client.receive();
        client.send(switch_to(2, "mysql_clear_password"));
        hear_out(client);
    });
    static_cast<void>(login_at("mysql", server, "&clear_password=allow"));
    EXPECT_THAT(server.heard(), HasSubstr(std::string(kPassword)));
}

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

/// By the value of `ssl`; empty: the default.
class PostgresqlThief : public testing::TestWithParam<std::string> {
protected:
    /// Logs in, and expects to be told what to do, with the password still our own.
    static void expect_nothing_stolen(FakeServer& thief, const std::string& options) {
        const auto error = login_at("postgresql", thief, options);
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

TEST_P(PostgresqlThief, Without_tls_gets_no_password_in_whatever_way_it_asks) {
    struct Way {
        std::string_view name;
        std::function<void(FakeTalk&)> ask;
    };
    const std::vector<Way> ways{
        {"for the asking", [](FakeTalk& client) { client.send(kAskForPassword); }},
        {"slowly", [](FakeTalk& client) { client.send_slowly(kAskForPassword); }},
        {"for a proof first",
         [](FakeTalk& client) {
             client.send(kAskForScram);
             client.receive();
             client.send(kAskForPassword);
         }},
        {"for both at once", [](FakeTalk& client) { client.send(kAskForScram + kAskForPassword); }},
    };
    for (const Way& way : ways) {
        SCOPED_TRACE(way.name);
        FakeServer thief([&way](FakeTalk& client, int) {
            first_words(client);
            way.ask(client);
            hear_out(client);
        });
        expect_nothing_stolen(thief, option());
    }
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
    expect_advice(login_at("postgresql", thief, "&ssl=off"));
}

TEST(PostgresqlClearPassword, Under_require_nobody_is_told_so_much_as_the_user_without_tls) {
    FakeServer thief([](FakeTalk& client, int) {
        first_words(client);
        hear_out(client);
    });
    ASSERT_TRUE(login_at("postgresql", thief, "&ssl=require"));
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
    ASSERT_TRUE(login_at("postgresql", thief, "&ssl=verify"));
    EXPECT_THAT(thief.heard(), Not(HasSubstr("jobs")));
}

TEST(PostgresqlClearPassword, Is_sent_where_the_url_allows_it) {
    FakeServer server([](FakeTalk& client, int) {
        first_words(client);
        client.send(kAskForPassword);
        hear_out(client);
    });
    static_cast<void>(login_at("postgresql", server, "&ssl=off&clear_password=allow"));
    EXPECT_THAT(server.heard(), HasSubstr(std::string(kPassword)));
}

}  // namespace

}  // namespace jobstrand::test
