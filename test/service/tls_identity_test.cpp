#include "tools/service/http/tls_identity.hpp"

#include "schema/clock.hpp"
#include "test/fixtures/self_signed.hpp"
#include "test/fixtures/temporary_directory.hpp"

#include <boost/asio/ssl/context.hpp>
#include <gmock/gmock.h>

#include <fstream>

namespace jobstrand {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using service::read_tls_identity;
using service::TlsFileError;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Property;
using testing::Throws;

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
