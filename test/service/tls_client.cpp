#include "test/service/tls_client.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/rfc2818_verification.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>

#include <array>
#include <string>

namespace jobstrand::test {

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;

[[nodiscard]] asio::ssl::context
context_of(const std::filesystem::path& trusted, const TlsClient::Wishes& wishes) {
    asio::ssl::context context(asio::ssl::context::tls_client);
    context.load_verify_file(trusted.string());
    context.set_verify_mode(asio::ssl::verify_peer);
    context.set_verify_callback(asio::ssl::rfc2818_verification(wishes.name));
    SSL_CTX_set_max_proto_version(context.native_handle(), wishes.newest_version);
    return context;
}

}  // namespace

class TlsClient::Stream {
public:
    Stream(std::uint16_t port, const std::filesystem::path& trusted, const Wishes& wishes)
        : context(context_of(trusted, wishes)), tls(io, context) {
        if (!wishes.protocol.empty()) {
            const std::string offer = static_cast<char>(wishes.protocol.size()) + wishes.protocol;
            SSL_set_alpn_protos(
                tls.native_handle(),
                reinterpret_cast<const unsigned char*>(offer.data()),
                static_cast<unsigned int>(offer.size())
            );
        }
        if (wishes.session != nullptr) {
            SSL_set_session(tls.native_handle(), wishes.session);
        }
        tls.next_layer().connect({asio::ip::address_v4::loopback(), port});
        tls.handshake(asio::ssl::stream_base::client);
    }

    asio::io_context io;
    asio::ssl::context context;
    asio::ssl::stream<tcp::socket> tls;
    boost::beast::flat_buffer buffer;
};

TlsClient::TlsClient(std::uint16_t port, const std::filesystem::path& trusted, const Wishes& wishes)
    : stream_(std::make_unique<Stream>(port, trusted, wishes)) {}

TlsClient::TlsClient(std::uint16_t port, const std::filesystem::path& trusted)
    : TlsClient(port, trusted, Wishes{}) {}

TlsClient::~TlsClient() = default;

RawResponse TlsClient::ask(std::string_view bytes) {
    boost::system::error_code error;
    asio::write(stream_->tls, asio::buffer(bytes), error);
    http::response<http::string_body> response;
    if (!error) {
        http::read(stream_->tls, stream_->buffer, response, error);
    }
    if (error) {
        return {};
    }
    return {.status = static_cast<int>(response.result_int()), .head = {}, .body = response.body()};
}

std::string TlsClient::ask_until(std::string_view bytes, std::string_view text) {
    boost::system::error_code error;
    asio::write(stream_->tls, asio::buffer(bytes), error);
    std::string received;
    const std::size_t count =
        asio::read_until(stream_->tls, asio::dynamic_buffer(received), std::string(text), error);
    return received.substr(0, count);
}

bool TlsClient::is_ended_well() {
    std::array<char, 1> byte;
    boost::system::error_code error;
    stream_->tls.read_some(asio::buffer(byte), error);
    return error == asio::error::eof;
}

std::string TlsClient::protocol() const {
    const unsigned char* name = nullptr;
    unsigned int length = 0;
    SSL_get0_alpn_selected(stream_->tls.native_handle(), &name, &length);
    return {reinterpret_cast<const char*>(name), length};
}

std::string TlsClient::version() const {
    return SSL_get_version(stream_->tls.native_handle());
}

bool TlsClient::is_resumed() const {
    return SSL_session_reused(stream_->tls.native_handle()) == 1;
}

ssl_session_st* TlsClient::session() const {
    return SSL_get_session(stream_->tls.native_handle());
}

}  // namespace jobstrand::test
