#include "tools/service/http/tls_identity.hpp"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <ctime>
#include <fstream>
#include <string_view>
#include <system_error>

namespace jobstrand::service {

namespace {

namespace ssl = boost::asio::ssl;

constexpr std::string_view kProtocol = "\x08http/1.1";  // As ALPN writes it: its length first.

[[nodiscard]] const unsigned char* as_bytes(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}

/// RFC 7301: a client that says what it speaks, and not this, is refused.
int choose_protocol(
    SSL* /*connection*/,
    const unsigned char** chosen,
    unsigned char* length,
    const unsigned char* offered,
    unsigned int offered_length,
    void* /*nothing*/
) {
    unsigned char* found = nullptr;
    const int outcome = SSL_select_next_proto(
        &found,
        length,
        as_bytes(kProtocol),
        static_cast<unsigned int>(kProtocol.size()),
        offered,
        offered_length
    );
    *chosen = found;
    return outcome == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

/// OpenSSL's own words for its last error.
[[nodiscard]] std::string reason() {
    const unsigned long code = ERR_peek_last_error();
    const char* const words = ERR_reason_error_string(code);
    ERR_clear_error();
    return words == nullptr ? "unknown" : words;
}

void require_readable(std::string_view what, const std::string& path) {
    errno = 0;
    if (!std::ifstream(path).is_open()) {
        throw TlsFileError(fmt::format(
            "cannot read the {} {}: {}", what, path, std::generic_category().message(errno)
        ));
    }
}

void use_files(SSL_CTX& context, const TlsFiles& files) {
    require_readable("certificate", files.certificate);
    require_readable("key", files.key);
    ERR_clear_error();
    if (SSL_CTX_use_certificate_chain_file(&context, files.certificate.c_str()) != 1) {
        throw TlsFileError(fmt::format(
            "{} is no certificate in PEM: {}; it must begin with -----BEGIN CERTIFICATE-----",
            files.certificate,
            reason()
        ));
    }
    if (SSL_CTX_use_PrivateKey_file(&context, files.key.c_str(), SSL_FILETYPE_PEM) == 1) {
        return;
    }
    const unsigned long error = ERR_peek_last_error();
    if (ERR_GET_LIB(error) == ERR_LIB_X509) {
        throw TlsFileError(fmt::format(
            "the key {} does not fit the certificate {}: {}", files.key, files.certificate, reason()
        ));
    }
    throw TlsFileError(fmt::format(
        "{} is no key in PEM that can be used: {}; it must have no passphrase", files.key, reason()
    ));
}

[[nodiscard]] schema::TimePoint time_of(const ASN1_TIME* time) {
    std::tm parts{};
    ASN1_TIME_to_tm(time, &parts);
    return schema::TimePoint(std::chrono::seconds(::timegm(&parts)));
}

[[nodiscard]] bool may_others_read(const std::string& path) {
    struct stat about {};
    return ::stat(path.c_str(), &about) == 0 && (about.st_mode & S_IROTH) != 0;
}

}  // namespace

TlsIdentity read_tls_identity(const TlsFiles& files, schema::TimePoint now) {
    TlsIdentity identity{
        .context = std::make_shared<ssl::context>(ssl::context::tls_server), .expires = {}};
    SSL_CTX* const context = identity.context->native_handle();
    // Nobody is there who could type one.
    identity.context->set_password_callback([](auto, auto) { return std::string(); });
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    // Of TLS 1.2 only what keeps old talks secret when the key is lost, and no CBC; so is all
    // of 1.3.
    if (SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20:!aNULL:!PSK") != 1) {
        throw TlsFileError("this machine's OpenSSL has no good cipher for TLS 1.2: " + reason());
    }
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION);
    SSL_CTX_set_alpn_select_cb(context, choose_protocol, nullptr);
    use_files(*context, files);
    const X509* const certificate = SSL_CTX_get0_certificate(context);
    identity.expires = time_of(X509_get0_notAfter(certificate));
    if (identity.expires <= now) {
        identity.remarks.push_back("the certificate has expired: clients will refuse it");
    }
    if (time_of(X509_get0_notBefore(certificate)) > now) {
        identity.remarks.push_back("the certificate is not valid yet: clients will refuse it");
    }
    if (may_others_read(files.key)) {
        identity.remarks.push_back("every user of the machine may read the key: chmod o-r it");
    }
    return identity;
}

}  // namespace jobstrand::service
