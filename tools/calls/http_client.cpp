#include "tools/calls/http_client.hpp"

#include <boost/asio/connect.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ssl/rfc2818_verification.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>
#include <openssl/bio.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <cerrno>
#include <exception>
#include <utility>

namespace jobstrand::cli {

HttpClient::~HttpClient() {
    io_.stop();
    if (thread_.joinable()) {
        thread_.join();
    }
}

void HttpClient::start() {
    std::call_once(started_, [this] {
        stays_.emplace(io_.get_executor());
        thread_ = std::thread([this] { run(); });
    });
}

void HttpClient::run() {
    while (!io_.stopped()) {
        // Defended catch: what one call meets, such as too little memory, ends no other.
        try {
            io_.run();
        } catch (const std::exception&) {
            std::this_thread::yield();
        }
    }
}

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;
using TlsStream = asio::ssl::stream<tcp::socket>;

/// What the two have in common.
template <typename Stream>
class WireOver : public Wire {
public:
    void send(const CallRequest& request, Done done) override {
        http::async_write(
            stream_,
            request,
            [done = std::move(done)](error_code error, std::size_t) { done(error); }
        );
    }

    void receive(Parser& parser, Done done) override {
        http::async_read(
            stream_,
            buffer_,
            parser,
            [done = std::move(done)](error_code error, std::size_t) { done(error); }
        );
    }

    void close() noexcept override {
        error_code ignored;
        socket().close(ignored);
    }

    bool is_quiet() override {
        char byte = 0;
        const auto seen =
            ::recv(socket().native_handle(), &byte, sizeof byte, MSG_PEEK | MSG_DONTWAIT);
        return buffer_.size() == 0 && seen < 0 && errno == EAGAIN;
    }

protected:
    template <typename... Arguments>
    explicit WireOver(Arguments&&... arguments) : stream_(std::forward<Arguments>(arguments)...) {}

    void connect(const Endpoints& endpoints, Done done) {
        asio::async_connect(
            socket(),
            endpoints,
            [this, done = std::move(done)](error_code error, const tcp::endpoint&) {
                error_code ignored;
                socket().set_option(tcp::no_delay(true), ignored);
                done(error);
            }
        );
    }

    Stream stream_;

private:
    [[nodiscard]] auto& socket() { return stream_.lowest_layer(); }

    beast::flat_buffer buffer_;  ///< What came behind the last answer.
};

class PlainWire final : public WireOver<tcp::socket> {
public:
    explicit PlainWire(asio::io_context& io) : WireOver(io) {}

    void open(const Endpoints& endpoints, Done done) override {
        connect(endpoints, std::move(done));
    }
};

class TlsWire final : public WireOver<TlsStream> {
public:
    TlsWire(const std::string& host, asio::io_context& io, asio::ssl::context& tls)
        : WireOver(io, tls) {
        stream_.set_verify_callback(asio::ssl::rfc2818_verification(host));
        error_code error;
        asio::ip::make_address(host, error);
        if (error) {  // RFC 6066, 3: an address is no name.
            (void)SSL_ctrl(
                stream_.native_handle(),
                SSL_CTRL_SET_TLSEXT_HOSTNAME,
                TLSEXT_NAMETYPE_host_name,
                const_cast<char*>(host.c_str())
            );
        }
    }

    void open(const Endpoints& endpoints, Done done) override {
        connect(endpoints, [this, done = std::move(done)](error_code error) mutable {
            if (error) {
                done(error);
                return;
            }
            stream_.async_handshake(asio::ssl::stream_base::client, std::move(done));
        });
    }

    bool is_quiet() override {
        SSL* const tls = stream_.native_handle();
        return SSL_has_pending(tls) == 0 && BIO_pending(SSL_get_rbio(tls)) == 0 &&
               WireOver::is_quiet();
    }
};

}  // namespace

std::unique_ptr<Wire> wire_to(const HttpUrl& url, asio::io_context& io, asio::ssl::context& tls) {
    if (url.is_tls) {
        return std::make_unique<TlsWire>(url.host, io, tls);
    }
    return std::make_unique<PlainWire>(io);
}

}  // namespace jobstrand::cli
