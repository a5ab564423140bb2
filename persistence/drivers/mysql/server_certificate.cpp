#include "persistence/drivers/mysql/server_certificate.hpp"

#include "persistence/drivers/socket.hpp"
#include "persistence/sql/db_error.hpp"

#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <memory>
#include <string_view>
#include <system_error>

namespace jobstrand::persistence {

namespace {

[[nodiscard]] DbError no_memory() {
    return DbError(
        DbErrorKind::other,
        "cannot keep a file in memory: " + std::generic_category().message(errno)
    );
}

}  // namespace

MemoryFile::MemoryFile(std::string_view text) : file_(::memfd_create("jobstrand", MFD_CLOEXEC)) {
    const int descriptor = file_.descriptor();
    if (descriptor < 0 ||
        ::write(descriptor, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
        throw no_memory();
    }
}

std::string MemoryFile::path() const {
    return fmt::format("/proc/self/fd/{}", file_.descriptor());
}

namespace {

// https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_basic_packets.html and
// page_protocol_connection_phase.html: a packet is three bytes of length, its number, and itself.
constexpr std::size_t kHeaderSize = 4;
constexpr std::size_t kLongestGreeting = 4096;
constexpr std::uint32_t kClientSsl = 0x0800;
constexpr std::uint32_t kAskForTls = 0x0200 | 0x8000 | kClientSsl;  // Protocol 4.1, as all have.
constexpr char kProtocol = 10;

/// OpenSSL writes to a socket that the other side may have closed, which by default would end the
/// process.
class WithoutSigpipe final {
public:
    WithoutSigpipe() {
        sigemptyset(&signal_);
        sigaddset(&signal_, SIGPIPE);
        pthread_sigmask(SIG_BLOCK, &signal_, &before_);
    }
    ~WithoutSigpipe() {
        constexpr timespec kNoWait{};
        while (!sigismember(&before_, SIGPIPE) && sigtimedwait(&signal_, nullptr, &kNoWait) > 0) {
        }
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }
    WithoutSigpipe(const WithoutSigpipe&) = delete;
    WithoutSigpipe& operator=(const WithoutSigpipe&) = delete;

private:
    sigset_t signal_{};
    sigset_t before_{};
};

[[nodiscard]] DbError no_tls(std::string_view why) {
    return DbError(
        DbErrorKind::unreachable, fmt::format("TLS failed, which the option ssl asks for: {}", why)
    );
}

[[nodiscard]] std::string cannot_be_read(const std::string& file, std::string_view what) {
    return fmt::format("{} has no {} in PEM, or cannot be read", file, what);
}

/// A certificate of the file that is no CA is trusted for itself.
void trust_only(SSL_CTX* context, const std::string& trusted) {
    if (SSL_CTX_load_verify_file(context, trusted.c_str()) != 1) {
        throw no_tls(cannot_be_read(trusted, "certificate"));
    }
    X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(context), X509_V_FLAG_PARTIAL_CHAIN);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
}

[[nodiscard]] DbError no_agreement(const SSL* tls) {
    const auto verified = SSL_get_verify_result(tls);
    if (verified == X509_V_OK) {
        return no_tls("the server and this program agree on no version or cipher");
    }
    return no_tls(fmt::format(
        "the server's certificate is not the one in ssl_ca, nor signed by one there: {}",
        X509_verify_cert_error_string(verified)
    ));
}

[[nodiscard]] std::uint32_t byte_at(std::string_view bytes, std::size_t index) {
    return static_cast<std::uint8_t>(bytes.at(index));
}

[[nodiscard]] std::string read_packet(const Socket& socket) {
    const std::string header = socket.receive(kHeaderSize);
    const std::size_t size =
        byte_at(header, 0) | byte_at(header, 1) << 8U | byte_at(header, 2) << 16U;
    return size > kLongestGreeting ? std::string{} : socket.receive(size);
}

/// The first half of the server's flags stands behind its version, a number, eight bytes of a
/// challenge and an empty one.
[[nodiscard]] bool offers_tls(const std::string& greeting) {
    const std::size_t version_end = greeting.find('\0', 1);
    const std::size_t flags = version_end + 1 + 4 + 8 + 1;
    if (!greeting.starts_with(kProtocol) || version_end == std::string::npos ||
        flags + 2 > greeting.size()) {
        throw DbError(
            DbErrorKind::not_a_database,
            "what answers there is not a MySQL or MariaDB server: check host and port"
        );
    }
    return ((byte_at(greeting, flags) | byte_at(greeting, flags + 1) << 8U) & kClientSsl) != 0;
}

/// The beginning of a login, up to where TLS begins.
[[nodiscard]] std::string request_for_tls() {
    constexpr std::size_t kSize = 32;
    std::string packet{static_cast<char>(kSize), 0, 0, 1};
    for (unsigned shift = 0; shift < 32; shift += 8) {
        packet += static_cast<char>(kAskForTls >> shift & 0xFFU);
    }
    packet.resize(kHeaderSize + kSize);
    return packet;
}

[[nodiscard]] std::string fingerprint_of(const X509* certificate) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    if (certificate == nullptr || X509_digest(certificate, EVP_sha1(), digest.data(), &size) != 1) {
        throw no_tls("the server shows no certificate");
    }
    std::string text;
    for (unsigned i = 0; i < size; ++i) {
        text += fmt::format("{:02X}", digest.at(i));
    }
    return text;
}

}  // namespace

std::string mysql_certificate_fingerprint(
    const std::string& host,
    int port,
    schema::Duration timeout,
    const std::string& trusted
) {
    const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(
        SSL_CTX_new(TLS_client_method()), &SSL_CTX_free
    );
    if (!trusted.empty()) {
        trust_only(context.get(), trusted);
    }
    const Socket socket = Socket::connect(host, port, timeout);
    if (!offers_tls(read_packet(socket))) {
        throw no_tls("the server has none");
    }
    socket.send(request_for_tls());
    const std::unique_ptr<SSL, decltype(&SSL_free)> tls(SSL_new(context.get()), &SSL_free);
    SSL_set_fd(tls.get(), socket.descriptor());
    const WithoutSigpipe without_sigpipe;
    if (SSL_connect(tls.get()) != 1) {
        throw no_agreement(tls.get());
    }
    return fingerprint_of(SSL_get0_peer_certificate(tls.get()));
}

std::string mysql_public_key(const std::string& file) {
    using Stream = std::unique_ptr<BIO, decltype(&BIO_free)>;
    const Stream in(BIO_new_file(file.c_str(), "r"), &BIO_free);
    const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(
        in ? PEM_read_bio_PUBKEY(in.get(), nullptr, nullptr, nullptr) : nullptr, &EVP_PKEY_free
    );
    const Stream out(BIO_new(BIO_s_mem()), &BIO_free);
    if (!key || PEM_write_bio_PUBKEY(out.get(), key.get()) != 1) {
        throw DbError(DbErrorKind::unreachable, cannot_be_read(file, "public key"));
    }
    char* text = nullptr;
    const auto size = BIO_get_mem_data(out.get(), &text);
    return {text, static_cast<std::size_t>(size)};
}

}  // namespace jobstrand::persistence
