#pragma once

#include "tools/service/http/message.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <sys/socket.h>

#include <cerrno>
#include <cstddef>
#include <utility>
#include <variant>

namespace jobstrand::service {

// Calls on sockets whose failure changes nothing: the socket is ended either way.

// NOLINTBEGIN(bugprone-unused-return-value): the error is in the parameter, for nobody.

inline void quietly_cancel(boost::asio::ip::tcp::socket& socket) {
    boost::system::error_code ignored;
    socket.cancel(ignored);
}

/// What was written still goes out, and then the end of it.
inline void quietly_end_sending(boost::asio::ip::tcp::socket& socket) {
    boost::system::error_code ignored;
    socket.shutdown(boost::asio::ip::tcp::socket::shutdown_send, ignored);
}

inline void quietly_close(boost::asio::ip::tcp::socket& socket) {
    boost::system::error_code ignored;
    socket.shutdown(boost::asio::ip::tcp::socket::shutdown_both, ignored);
    socket.close(ignored);
}

inline void quietly_close(boost::asio::ip::tcp::acceptor& acceptor) {
    boost::system::error_code ignored;
    acceptor.close(ignored);
}

/// Where a client is; none when it is gone already.
[[nodiscard]] inline boost::asio::ip::address quiet_address(boost::asio::ip::tcp::socket& socket) {
    boost::system::error_code ignored;
    return socket.remote_endpoint(ignored).address();
}

/// As far as it goes without waiting.
inline void quietly_send(boost::asio::ip::tcp::socket& socket, boost::asio::const_buffer bytes) {
    boost::system::error_code ignored;
    socket.non_blocking(true, ignored);
    socket.write_some(bytes, ignored);
}

/// Small answers leave at once.
inline void quietly_hurry(boost::asio::ip::tcp::socket& socket) {
    boost::system::error_code ignored;
    socket.set_option(boost::asio::ip::tcp::no_delay(true), ignored);
}

// NOLINTEND(bugprone-unused-return-value)

/// The bytes of one client, in the clear or within TLS. `done` is called with an error, and a count
/// where there is one; what is under way ends with an error when the socket is cancelled or closed.
///
/// Thread safety: none. Whatever is under way must end before it does.
class Wire final {
public:
    using Socket = boost::asio::ip::tcp::socket;
    using Buffer = boost::beast::flat_buffer;

    explicit Wire(Socket socket) : stream_(std::in_place_type<Socket>, std::move(socket)) {}

    /// The context may end before it.
    Wire(Socket socket, boost::asio::ssl::context& tls)
        : stream_(std::in_place_type<Tls>, std::move(socket), tls) {}

    [[nodiscard]] bool is_tls() const { return std::holds_alternative<Tls>(stream_); }

    /// What lies below TLS.
    [[nodiscard]] Socket& socket() {
        Tls* const tls = std::get_if<Tls>(&stream_);
        return tls != nullptr ? tls->next_layer() : std::get<Socket>(stream_);
    }

    /// Whether the client is known to be gone: it has sent its last byte, and that was read. One
    /// that only ends its sending, and still waits for an answer, is taken for gone.
    [[nodiscard]] bool has_hung_up() {
        char next = 0;
        const auto count = ::recv(socket().native_handle(), &next, 1, MSG_PEEK | MSG_DONTWAIT);
        const bool is_open = errno == EAGAIN || errno == EINTR;
        return count == 0 || (count < 0 && !is_open);
    }

    /// Before anything else, with TLS only.
    template <typename Done>
    void shake_hands(Done done) {
        std::get<Tls>(stream_).async_handshake(
            boost::asio::ssl::stream_base::server, std::move(done)
        );
    }

    /// Waits until the client sends something. What TLS has decrypted by then is in the buffer; in
    /// the clear nothing is read, so that many who wait cost little.
    template <typename Done>
    void await_bytes(Buffer& buffer, Done done) {
        if (!is_tls()) {
            socket().async_wait(Socket::wait_read, std::move(done));
            return;
        }
        std::get<Tls>(stream_).async_read_some(
            buffer.prepare(kFirstBytes),
            [&buffer, done = std::move(done)](boost::beast::error_code error, std::size_t count) {
                buffer.commit(count);
                done(error);
            }
        );
    }

    template <typename Parser, typename Done>
    void read_head(Buffer& buffer, Parser& parser, Done done) {
        on_stream([&](auto& stream) {
            boost::beast::http::async_read_header(stream, buffer, parser, std::move(done));
        });
    }

    template <typename Parser, typename Done>
    void read_body(Buffer& buffer, Parser& parser, Done done) {
        on_stream([&](auto& stream) {
            boost::beast::http::async_read(stream, buffer, parser, std::move(done));
        });
    }

    /// The message must outlive this.
    template <typename Message, typename Done>
    void write_message(Message& message, Done done) {
        on_stream([&](auto& stream) {
            boost::beast::http::async_write(stream, message, std::move(done));
        });
    }

    /// The bytes must outlive this.
    template <typename Done>
    void write_bytes(boost::asio::const_buffer bytes, Done done) {
        on_stream([&](auto& stream) { boost::asio::async_write(stream, bytes, std::move(done)); });
    }

    /// What was written still goes out, and then the end of it; within TLS that is a word of its
    /// own, and the client's is waited for. Nothing may be read or written through TLS meanwhile.
    template <typename Done>
    void end_sending(Done done) {
        if (!is_tls()) {
            quietly_end_sending(socket());
            done();
            return;
        }
        std::get<Tls>(stream_).async_shutdown(
            [this, done = std::move(done)](boost::beast::error_code /*they_said_none*/) {
                quietly_end_sending(socket());
                done();
            }
        );
    }

private:
    using Tls = boost::beast::ssl_stream<Socket>;

    /// While a client is waited for it costs no more than this.
    static constexpr std::size_t kFirstBytes = 512;

    template <typename Act>
    void on_stream(const Act& act) {
        if (Socket* const plain = std::get_if<Socket>(&stream_)) {
            act(*plain);
        } else {
            act(std::get<Tls>(stream_));
        }
    }

    std::variant<Socket, Tls> stream_;
};

using WireResponse = boost::beast::http::response<boost::beast::http::string_body>;

/// A response as it goes out, with what all of them have: its date, and that nobody on the way
/// keeps it or takes it for anything else. `is_head`: it answers HEAD, so its body stays here.
[[nodiscard]] WireResponse on_the_wire(Response response, bool keep_alive, bool is_head);

/// What is said about bytes that cannot be read as a request.
[[nodiscard]] Response response_to_unreadable(const boost::beast::error_code& error);

/// Whether an error is about bytes, and not about their connection.
[[nodiscard]] bool is_about_bytes(const boost::beast::error_code& error);

}  // namespace jobstrand::service
