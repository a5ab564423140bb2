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
#include <string>
#include <type_traits>
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

/// The app must show that it is this host.
void expect_host(TlsStream& stream, const std::string& host) {
    stream.set_verify_callback(asio::ssl::rfc2818_verification(host));
    error_code error;
    asio::ip::make_address(host, error);
    if (error) {  // RFC 6066, 3: an address is no name.
        (void)SSL_ctrl(
            stream.native_handle(),
            SSL_CTRL_SET_TLSEXT_HOSTNAME,
            TLSEXT_NAMETYPE_host_name,
            const_cast<char*>(host.c_str())
        );
    }
}

template <typename Stream>
class WireOver final : public Wire {
public:
    template <typename... Arguments>
    explicit WireOver(Arguments&&... arguments) : stream_(std::forward<Arguments>(arguments)...) {}

    [[nodiscard]] Stream& stream() { return stream_; }

    void open(const Endpoints& endpoints, Done done) override {
        asio::async_connect(
            socket(),
            endpoints,
            [this, done = std::move(done)](error_code error, const tcp::endpoint&) mutable {
                error_code ignored;
                socket().set_option(tcp::no_delay(true), ignored);
                if constexpr (kIsTls) {
                    if (!error) {
                        stream_.async_handshake(asio::ssl::stream_base::client, std::move(done));
                        return;
                    }
                }
                done(error);
            }
        );
    }

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
        if constexpr (kIsTls) {
            SSL* const tls = stream_.native_handle();
            if (SSL_has_pending(tls) != 0 || BIO_pending(SSL_get_rbio(tls)) != 0) {
                return false;
            }
        }
        char byte = 0;
        const auto seen =
            ::recv(socket().native_handle(), &byte, sizeof byte, MSG_PEEK | MSG_DONTWAIT);
        return buffer_.size() == 0 && seen < 0 && errno == EAGAIN;
    }

private:
    static constexpr bool kIsTls = std::is_same_v<Stream, TlsStream>;

    [[nodiscard]] auto& socket() { return stream_.lowest_layer(); }

    Stream stream_;
    beast::flat_buffer buffer_;  ///< What came behind the last answer.
};

}  // namespace

std::unique_ptr<Wire> wire_to(const HttpUrl& url, asio::io_context& io, asio::ssl::context& tls) {
    if (!url.is_tls) {
        return std::make_unique<WireOver<tcp::socket>>(io);
    }
    auto wire = std::make_unique<WireOver<TlsStream>>(io, tls);
    expect_host(wire->stream(), url.host);
    return wire;
}

}  // namespace jobstrand::cli
