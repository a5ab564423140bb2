#pragma once

#include "tools/service/http/quiet_calls.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <sys/socket.h>

#include <cerrno>
#include <cstddef>
#include <utility>
#include <variant>

namespace jobstrand::service {

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

}  // namespace jobstrand::service
