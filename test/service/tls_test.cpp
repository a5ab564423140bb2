#include "schema/clock.hpp"
#include "test/fixtures/self_signed.hpp"
#include "test/fixtures/signal.hpp"
#include "test/fixtures/temporary_directory.hpp"
#include "test/service/server_fixture.hpp"
#include "test/service/tls_client.hpp"
#include "tools/service/http/tls_identity.hpp"

#include <boost/system/system_error.hpp>

#include <chrono>
#include <memory>
#include <vector>

namespace jobstrand {
namespace {

using test::get;
using test::post;
using test::RawClient;
using test::TlsClient;

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

}  // namespace
}  // namespace jobstrand
