#include "tools/service/http/http_connection.hpp"

#include "tools/service/http/places.hpp"
#include "tools/service/http/problem.hpp"
#include "tools/service/http/quiet_calls.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/error.hpp>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace jobstrand::service {

namespace {

namespace asio = boost::asio;
using std::chrono::steady_clock;

/// How long a client may go on sending what nobody wants, after it was told so.
constexpr std::chrono::seconds kLinger{2};

/// How long a client that was waited for has to answer the goodbye of TLS: most do not listen.
constexpr std::chrono::milliseconds kFarewell{100};

constexpr std::string_view kSpeaksTls =
    "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nContent-Length: 23\r\n"
    "Connection: close\r\n\r\nthis port speaks HTTPS\n";

[[nodiscard]] bool is_plain_http(const boost::beast::error_code& error) {
    return error.category() == asio::error::get_ssl_category() &&
           ERR_GET_REASON(static_cast<unsigned long>(error.value())) == SSL_R_HTTP_REQUEST;
}

}  // namespace

Connection::Connection(
    Wire wire,
    const ConnectionContext& context,
    ConnectionPlace place,
    Closed closed
)
    : wire_(std::move(wire)),
      context_(context),
      from_(network_of(quiet_address(wire_.socket()))),
      place_(place),
      closed_(std::move(closed)),
      since_(steady_clock::now()),
      deadline_(steady_clock::now() + context.limits.idle),
      buffer_(context.limits.header_bytes + kReadBytes) {}

void Connection::start() {
    quietly_hurry(wire_.socket());
    if (!wire_.is_tls()) {
        await_request();
        return;
    }
    enter(Phase::handshake, context_.limits.header);
    wire_.shake_hands([self = shared_from_this()](Error error) { self->on_handshake(error); });
}

void Connection::on_handshake(Error error) {
    if (phase_ == Phase::closed) {
        return;
    }
    if (!error) {
        await_request();
        return;
    }
    context_.counts.failed_handshakes.fetch_add(1);
    if (!is_plain_http(error)) {
        close();
        return;
    }
    // It would never find out what it does wrong.
    quietly_send(wire_.socket(), asio::buffer(kSpeaksTls));
    quietly_end_sending(wire_.socket());
    enter(Phase::lingering, kLinger);
    discard_more();
}

void Connection::look_at_clock(steady_clock::time_point now, bool is_short) {
    if (phase_ == Phase::streaming && !is_still_let_in()) {
        close();
        return;
    }
    if (phase_ == Phase::closed || phase_ == Phase::handler || now < deadline(is_short)) {
        return;
    }
    // Half a request deserves a word; a reading that is cancelled says it.
    if (phase_ == Phase::header || phase_ == Phase::body) {
        timed_out_ = true;
        quietly_cancel(wire_.socket());
    } else if (phase_ == Phase::idle && place_ == ConnectionPlace::reserve) {
        turn_away();
    } else if (phase_ == Phase::idle) {
        leave();
    } else {
        close();
    }
}

/// Whether nothing has come of it that could be a request.
bool Connection::is_silent() const {
    return phase_ == Phase::handshake || (phase_ == Phase::idle && !has_asked_);
}

steady_clock::time_point Connection::deadline(bool is_short) const {
    if (!is_silent()) {
        return deadline_;
    }
    const ServerLimits& limits = context_.limits;
    const bool must_hurry = is_short || place_ == ConnectionPlace::reserve;
    return std::min(deadline_, since_ + (must_hurry ? limits.first_byte_short : limits.first_byte));
}

Connection::Standing Connection::standing() const {
    const bool is_waited_for = phase_ == Phase::handshake || phase_ == Phase::idle ||
                               phase_ == Phase::header || phase_ == Phase::lingering;
    return {
        .from = from_,
        .place = place_,
        .is_stranger = !is_known_ && is_waited_for,
        .is_idle = phase_ == Phase::idle,
        .since = since_};
}

void Connection::finish() {
    is_last_ = true;
    if (phase_ == Phase::idle) {
        leave();
    } else if (phase_ == Phase::handshake) {
        close();
    } else if (stream_) {
        stream_->end();
    }
}

void Connection::close() {
    if (std::exchange(phase_, Phase::closed) == Phase::closed) {
        return;
    }
    if (stream_) {
        stream_->hang_up();
    }
    quietly_close(wire_.socket());
    closed_(*this);
}

void Connection::enter(Phase phase, steady_clock::duration limit) {
    phase_ = phase;
    since_ = steady_clock::now();
    deadline_ = since_ + limit;
}

// An idle connection keeps no buffer, so that many of them cost little.
void Connection::await_request() {
    enter(Phase::idle, context_.limits.idle);
    if (is_last_) {
        close();
        return;
    }
    if (buffer_.size() > 0) {
        read_head();
        return;
    }
    buffer_.shrink_to_fit();
    await_bytes();
}

void Connection::await_bytes() {
    wire_.await_bytes(buffer_, [self = shared_from_this()](Error error) { self->on_bytes(error); });
}

void Connection::on_bytes(Error error) {
    if (phase_ == Phase::lingering) {
        say_goodbye();
    } else if (phase_ == Phase::idle && !error) {
        read_head();
    } else if (phase_ == Phase::idle || phase_ == Phase::streaming) {
        close();
    }
}

/// Closes while nothing but the client is waited for.
void Connection::leave() {
    if (!wire_.is_tls()) {
        close();
        return;
    }
    // Nothing is read while the goodbye is said: the waiting that is cancelled says it.
    enter(Phase::lingering, kFarewell);
    quietly_cancel(wire_.socket());
}

/// It got a place for questions about health, and asks nothing.
void Connection::turn_away() {
    if (wire_.is_tls()) {
        context_.counts.refused_connections.fetch_add(1);
        leave();
        return;
    }
    is_last_ = true;
    send(too_many());
}

/// What nobody gets in the reserve.
Response Connection::too_many() const {
    context_.counts.refused_connections.fetch_add(1);
    return come_again("too many connections");
}

// To close with unread bytes resets the connection, and the response could be lost on its way.
void Connection::linger() {
    enter(Phase::lingering, kLinger);
    say_goodbye();
}

void Connection::say_goodbye() {
    buffer_.clear();
    wire_.end_sending([self = shared_from_this()] {
        if (self->phase_ == Phase::lingering) {
            self->discard_more();
        }
    });
}

void Connection::discard_more() {
    wire_.socket().async_read_some(
        buffer_.prepare(kReadBytes),
        [self = shared_from_this()](Error error, std::size_t) {
            if (error) {
                self->close();
            } else if (self->phase_ == Phase::lingering) {
                self->discard_more();
            }
        }
    );
}

// What follows is for a response that goes on.

void Connection::begin_stream() {
    phase_ = Phase::streaming;
    stream_->carry([thread = wire_.socket().get_executor(), weak = weak_from_this()] {
        boost::asio::post(thread, [weak] {
            if (const auto self = weak.lock()) {
                self->send_more();
            }
        });
    });
    await_bytes();  // A client that hangs up is seen by it.
    send_more();
}

void Connection::send_more() {
    if (phase_ != Phase::streaming) {
        return;
    }
    if (stream_->is_dropped()) {
        close();
        return;
    }
    if (!piece_.empty()) {
        return;
    }
    ResponseStream::Next next = stream_->take();
    piece_ = std::move(next.bytes);
    if (!piece_.empty()) {
        enter(Phase::streaming, context_.limits.write);
        wire_.write_bytes(
            boost::asio::buffer(piece_),
            [self = shared_from_this()](Error error, auto) { self->on_piece_sent(error); }
        );
    } else if (next.is_last) {
        leave();
    } else {
        deadline_ = std::chrono::steady_clock::time_point::max();
    }
}

void Connection::on_piece_sent(Error error) {
    piece_.clear();
    if (error) {
        close();
    } else {
        send_more();
    }
}

bool Connection::is_still_let_in() const {
    return !context_.admissions.refusal_by_now(stream_->asked_for(), *match_.route);
}

}  // namespace jobstrand::service
