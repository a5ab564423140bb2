#include "test/fixtures/self_signed.hpp"
#include "test/process/http_service_fixture.hpp"
#include "test/service/tls_client.hpp"

#include <gmock/gmock.h>

#include <csignal>

namespace jobstrand {
namespace {

using test::get;
using test::TlsClient;
using testing::HasSubstr;
using testing::Not;

/// The service with a certificate.
class HttpTlsTest : public test::HttpServiceTest {
protected:
    HttpTlsTest() { test::SelfSigned().write_to(directory.path()); }

    void configure_tls(const std::string& more = {}) const {
        configure(
            "httpCertificateFile = \"" + path("cert.pem") + "\"\nhttpKeyFile = \"" +
            path("key.pem") + "\"\n" + more
        );
    }

    [[nodiscard]] int ask(const std::string& trusted) const {
        return TlsClient(port, trusted).ask(get("/health/live")).status;
    }
};

TEST_F(HttpTlsTest, A_renewed_certificate_needs_no_restart_and_a_wrong_one_changes_nothing) {
    configure_tls();
    const auto service = a_listening_service();
    std::filesystem::copy(path("cert.pem"), path("old.pem"));
    EXPECT_EQ(ask(path("old.pem")), 200);
    TlsClient before(port, path("old.pem"));

    test::SelfSigned().write_to(directory.path());
    service->send(SIGHUP);
    ASSERT_TRUE(service->wait_for_log("the certificate was read again"));
    EXPECT_EQ(ask(path("cert.pem")), 200);
    EXPECT_EQ(before.ask(get("/health/live")).status, 200);

    std::filesystem::copy(path("cert.pem"), path("new.pem"));
    std::ofstream(path("cert.pem")) << "half a file";
    service->send(SIGHUP);
    ASSERT_TRUE(service->wait_for_log("the certificate is not taken over"));
    EXPECT_EQ(ask(path("new.pem")), 200);

    service->send(SIGTERM);
    EXPECT_EQ(service->wait(test::kPatience), 0);
}

TEST_F(HttpTlsTest, A_service_that_cannot_show_its_certificate_does_not_start) {
    configure("httpCertificateFile = \"" + path("cert.pem") + "\"\n");
    const auto half = cli({"serve", "--http", "127.0.0.1:0"});
    EXPECT_EQ(half.exit_code, 2);
    EXPECT_THAT(half.err, HasSubstr("httpCertificateFile and httpKeyFile need each other"));

    configure_tls();
    std::filesystem::remove(path("key.pem"));
    const auto without_key = cli({"serve", "--http", "127.0.0.1:0"});
    EXPECT_EQ(without_key.exit_code, 2);
    EXPECT_THAT(without_key.err, HasSubstr("cannot read the key"));
}

TEST_F(HttpTlsTest, Tokens_that_cross_the_network_in_the_clear_are_warned_of) {
    constexpr const char* warning = "in the clear";
    const std::string tokens = "httpTokenFile = \"" + path("tokens") + "\"\n";
    configure(tokens);
    (void)expect_success({"token", "make", "ops", "--role", "admin"});
    {
        const auto service = a_listening_service({}, "0.0.0.0:0");
        EXPECT_THAT(service->log(), HasSubstr(warning));
    }
    configure_tls(tokens);
    const auto service = a_listening_service({}, "0.0.0.0:0");
    EXPECT_THAT(service->log(), Not(HasSubstr(warning)));
    EXPECT_EQ(ask(path("cert.pem")), 200);
}

}  // namespace
}  // namespace jobstrand
