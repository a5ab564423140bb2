#include "schema/clock.hpp"
#include "test/fixtures/self_signed.hpp"
#include "test/fixtures/signal.hpp"
#include "test/fixtures/temporary_directory.hpp"
#include "test/service/server_fixture.hpp"
#include "test/service/tls_client.hpp"
#include "tools/service/http/tls_identity.hpp"

#include <boost/asio/ssl/context.hpp>
#include <boost/system/system_error.hpp>
#include <gmock/gmock.h>

#include <chrono>
#include <fstream>
#include <memory>
#include <vector>

namespace jobstrand {

namespace {

namespace fs = std::filesystem;
using service::read_tls_identity;
using service::TlsFileError;
using test::get;
using test::post;
using test::RawClient;
using test::TlsClient;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Property;
using testing::Throws;
using namespace std::chrono_literals;

constexpr int kTls11 = 0x0302;
constexpr int kTls12 = 0x0303;

class TlsTest : public test::ServerTest {
protected:
    void serve_tls(service::ServerLimits limits) {
        serve(limits);
        show_new_certificate();
    }

    void show_new_certificate() {
        test::SelfSigned().write_to(folder.path());
        const auto identity = service::read_tls_identity(
            {.certificate = certificate().string(), .key = (folder.path() / "key.pem").string()},
            schema::SystemClock().now()
        );
        server->use_tls(identity.context);
    }

    [[nodiscard]] std::filesystem::path certificate() const { return folder.path() / "cert.pem"; }

    [[nodiscard]] TlsClient a_client(const TlsClient::Wishes& wishes = {}) const {
        return TlsClient(server->port(), certificate(), wishes);
    }

    const test::TemporaryDirectory folder;
};

TEST_F(TlsTest, A_client_that_verifies_is_answered_as_often_as_it_asks) {
    serve_tls(small_limits());
    TlsClient client(server->port(), certificate(), {.protocol = "http/1.1"});
    EXPECT_EQ(client.version(), "TLSv1.3");
    EXPECT_EQ(client.protocol(), "http/1.1");
    EXPECT_EQ(client.ask(get("/hello")).body, "hello");
    const std::string body(2000, '7');
    EXPECT_EQ(client.ask(post("/echo", body)).body, body);
    EXPECT_EQ(client.ask(post("/nowhere", body)).status, 404);
    EXPECT_EQ(counts.connections, 1);
    EXPECT_EQ(counts.failed_handshakes, 0);
}

TEST_F(TlsTest, Requests_that_are_sent_at_once_are_answered_one_after_the_other) {
    serve_tls(small_limits());
    TlsClient client(server->port(), certificate());
    EXPECT_EQ(client.ask(get("/hello") + post("/echo", "[2]") + get("/hello")).body, "hello");
    EXPECT_EQ(client.ask({}).body, "[2]");
    EXPECT_EQ(client.ask({}).body, "hello");
}

TEST_F(TlsTest, Who_does_not_begin_the_handshake_locks_nobody_out) {
    serve_tls(small_limits());
    std::vector<std::unique_ptr<RawClient>> silent;
    for (int i = 0; i < 20; ++i) {
        silent.push_back(std::make_unique<RawClient>(server->port()));
    }
    EXPECT_TRUE(test::eventually([&] {
        try {
            return a_client().ask(get("/hello")).status == 200;
        } catch (const boost::system::system_error&) {
            return false;
        }
    }));
}

TEST_F(TlsTest, Versions_before_1_2_and_other_protocols_are_refused) {
    serve_tls(small_limits());
    EXPECT_EQ(a_client({.newest_version = kTls12}).version(), "TLSv1.2");
    EXPECT_THROW(a_client({.newest_version = kTls11}), boost::system::system_error);
    EXPECT_THROW(a_client({.protocol = "h2"}), boost::system::system_error);
    EXPECT_EQ(a_client().ask(get("/hello")).status, 200);
}

TEST_F(TlsTest, A_client_that_wants_somebody_else_turns_away_and_others_are_served) {
    serve_tls(small_limits());
    EXPECT_THROW(a_client({.name = "other.example"}), boost::system::system_error);
    EXPECT_EQ(a_client().ask(get("/hello")).status, 200);
}

TEST_F(TlsTest, Who_comes_again_need_not_prove_everything_again) {
    serve_tls(small_limits());
    for (const int version : {0, kTls12}) {
        TlsClient first(server->port(), certificate(), {.newest_version = version});
        ASSERT_EQ(first.ask(get("/hello")).status, 200);
        TlsClient second(
            server->port(), certificate(), {.newest_version = version, .session = first.session()}
        );
        EXPECT_EQ(second.ask(get("/hello")).status, 200);
        EXPECT_TRUE(second.is_resumed()) << version;
    }
}

TEST_F(TlsTest, A_request_in_the_clear_is_told_what_this_port_speaks) {
    serve_tls(small_limits());
    RawClient client(server->port());
    const auto response = client.ask(get("/hello"));
    EXPECT_EQ(response.status, 400);
    EXPECT_EQ(response.body, "this port speaks HTTPS\n");
    EXPECT_TRUE(client.is_closed());
    RawClient babbler(server->port());
    EXPECT_EQ(babbler.ask("neither HTTP nor TLS\r\n\r\n").status, 0);
    EXPECT_EQ(counts.responses.at(2), 0);
    EXPECT_EQ(a_client().ask(get("/hello")).status, 200);
}

TEST_F(TlsTest, Half_a_handshake_ends_with_the_time_of_a_head) {
    service::ServerLimits limits = small_limits();
    limits.header = std::chrono::seconds(0);
    serve_tls(limits);
    RawClient silent(server->port());
    EXPECT_TRUE(silent.is_closed());
    RawClient slow(server->port());
    (void)slow.send("\x16\x03\x01");
    EXPECT_TRUE(slow.is_closed());
}

TEST_F(TlsTest, An_unfinished_handshake_counts_as_a_connection) {
    serve_tls(small_limits());
    std::vector<std::unique_ptr<RawClient>> silent;
    for (int i = 0; i < 4; ++i) {
        silent.push_back(std::make_unique<RawClient>(server->port()));
        (void)silent.back()->send("\x16");
    }
    EXPECT_TRUE(test::eventually([&] { return counts.open_connections == 4; }));
}

TEST_F(TlsTest, A_new_certificate_is_shown_to_those_who_come_and_disturbs_nobody) {
    serve_tls(small_limits());
    TlsClient before(server->port(), certificate());
    EXPECT_EQ(before.ask(get("/hello")).status, 200);
    show_new_certificate();
    EXPECT_EQ(a_client().ask(get("/hello")).status, 200);
    EXPECT_EQ(before.ask(get("/hello")).status, 200);
}

TEST_F(TlsTest, The_end_of_a_connection_is_told_so_that_nobody_can_forge_it) {
    serve_tls(small_limits());
    TlsClient last(server->port(), certificate());
    EXPECT_EQ(last.ask(get("/hello", "Connection: close\r\n")).status, 200);
    EXPECT_TRUE(last.is_ended_well());
    TlsClient refused(server->port(), certificate());
    EXPECT_EQ(refused.ask("nonsense\r\n\r\n").status, 400);
    EXPECT_TRUE(refused.is_ended_well());
}

TEST_F(TlsTest, Stopping_says_goodbye_to_who_is_idle) {
    service::ServerLimits limits = small_limits();
    limits.stop = std::chrono::seconds(5);
    serve_tls(limits);
    TlsClient idle(server->port(), certificate());
    EXPECT_EQ(idle.ask(get("/hello")).status, 200);
    const auto began = std::chrono::steady_clock::now();
    server->stop();
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(3));
    EXPECT_TRUE(idle.is_ended_well());
}

TEST_F(TlsTest, An_idle_client_is_let_go_when_its_time_is_over) {
    service::ServerLimits limits = small_limits();
    limits.idle = std::chrono::seconds(0);
    serve_tls(limits);
    TlsClient idle(server->port(), certificate());
    EXPECT_TRUE(idle.is_ended_well());
}

class TlsIdentityTest : public testing::Test {
protected:
    TlsIdentityTest() { test::SelfSigned().write_to(folder.path()); }

    [[nodiscard]] std::string path(const char* name) const {
        return (folder.path() / name).string();
    }

    [[nodiscard]] service::TlsIdentity read() const {
        return read_tls_identity(
            {.certificate = path("cert.pem"), .key = path("key.pem")}, schema::SystemClock().now()
        );
    }

    void expect_refused(const std::string& why) const {
        EXPECT_THAT(
            [this] { (void)read(); },
            Throws<TlsFileError>(Property(&TlsFileError::what, HasSubstr(why)))
        );
    }

    const test::TemporaryDirectory folder;
};

TEST_F(TlsIdentityTest, All_ciphers_have_forward_secrecy_and_none_is_cbc) {
    const service::TlsIdentity identity = read();
    const STACK_OF(SSL_CIPHER)* const all = SSL_CTX_get_ciphers(identity.context->native_handle());
    ASSERT_GT(sk_SSL_CIPHER_num(all), 0);
    for (int i = 0; i < sk_SSL_CIPHER_num(all); ++i) {
        const SSL_CIPHER* const cipher = sk_SSL_CIPHER_value(all, i);
        const int exchange = SSL_CIPHER_get_kx_nid(cipher);
        EXPECT_EQ(SSL_CIPHER_is_aead(cipher), 1) << SSL_CIPHER_get_name(cipher);
        EXPECT_TRUE(exchange == NID_kx_ecdhe || exchange == NID_kx_any)
            << SSL_CIPHER_get_name(cipher);
    }
}

TEST_F(TlsIdentityTest, A_good_pair_says_when_it_expires) {
    const service::TlsIdentity identity = read();
    EXPECT_NE(identity.context, nullptr);
    EXPECT_THAT(identity.remarks, IsEmpty());
    const auto left = identity.expires - schema::SystemClock().now();
    EXPECT_GT(left, 23h);
    EXPECT_LE(left, 24h);
}

TEST_F(TlsIdentityTest, Files_that_are_not_there_or_something_else_are_told) {
    fs::rename(path("key.pem"), path("other.pem"));
    expect_refused("cannot read the key " + path("key.pem") + ": No such file");
    std::ofstream(path("key.pem")) << "secret\n";
    expect_refused("key.pem is no key in PEM");
    std::ofstream(path("cert.pem")) << "mine\n";
    expect_refused("cert.pem is no certificate in PEM");
    fs::remove(path("cert.pem"));
    expect_refused("cannot read the certificate " + path("cert.pem"));
}

TEST_F(TlsIdentityTest, A_key_of_another_certificate_does_not_fit) {
    fs::rename(path("cert.pem"), path("mine.pem"));
    test::SelfSigned().write_to(folder.path());
    fs::rename(path("mine.pem"), path("cert.pem"));
    expect_refused("does not fit the certificate");
}

// Made once by `openssl genpkey -algorithm ed25519 -aes256 -pass pass:x`.
TEST_F(TlsIdentityTest, Nobody_is_asked_for_the_passphrase_of_a_key) {
    std::ofstream(path("key.pem"))
        << "-----BEGIN ENCRYPTED PRIVATE KEY-----\n"
           "MIGbMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAgwMan2Bx0yVgICCAAw\n"
           "DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEM7Ag0pt3rW62vkmptEZNfgEQFZf\n"
           "XXCVsFZJj55T51CODyorzONb4tROMewXSFA8zBpjH6lm9MeJvVAubHkx4KzU4bRD\n"
           "v+PQNgr2JBF804P3kOA=\n"
           "-----END ENCRYPTED PRIVATE KEY-----\n";
    expect_refused("it must have no passphrase");
}

TEST_F(TlsIdentityTest, A_certificate_whose_time_is_over_is_remarked_on) {
    test::SelfSigned(-1h).write_to(folder.path());
    EXPECT_THAT(read().remarks, ElementsAre(HasSubstr("has expired")));
    test::SelfSigned(72h).write_to(folder.path());
    EXPECT_THAT(read().remarks, ElementsAre(HasSubstr("not valid yet")));
}

TEST_F(TlsIdentityTest, A_key_that_everybody_may_read_is_remarked_on) {
    fs::permissions(path("key.pem"), fs::perms::others_read, fs::perm_options::add);
    EXPECT_THAT(read().remarks, ElementsAre(HasSubstr("may read the key")));
}

}  // namespace

}  // namespace jobstrand
