#include "tools/service/http/http_connection.hpp"

#include "tools/service/http/http_server.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/error.hpp>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <limits>
#include <new>
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

// A connection from the head of a request to its response.

namespace {

/// Bytes of an answer that is not counted.
constexpr std::size_t kSmallAnswer = std::size_t{64} * 1024;

constexpr std::string_view kGoOn = "HTTP/1.1 100 Continue\r\n\r\n";

}  // namespace

void Connection::read_head() {
    enter(Phase::header, context_.limits.header);
    is_head_ = false;
    parser_.emplace();
    parser_->header_limit(static_cast<std::uint32_t>(context_.limits.header_bytes));
    // That of the path is told before any of it is read.
    parser_->body_limit(std::numeric_limits<std::uint64_t>::max());
    wire_.read_head(buffer_, *parser_, [self = shared_from_this()](Error error, std::size_t) {
        self->on_head(error);
    });
}

void Connection::on_head(Error error) {
    if (phase_ == Phase::closed) {
        return;
    }
    if (error) {
        on_unreadable(error);
        return;
    }
    take_head();
    Admission admission = context_.admissions.decide(
        {.request = request_,
         .version = parser_->get().version(),
         .has_folded_length = parser_->has_folded_length()},
        {.is_there = !parser_->is_done(), .length = announced_length()}
    );
    is_known_ = is_known_ || (!admission.refusal && admission.match.role() != Role::anybody);
    if (place_ == ConnectionPlace::reserve) {
        is_last_ = true;
        if (is_for_others(admission)) {
            admission.refusal = too_many();
        }
    }
    if (admission.refusal) {
        // A body that nobody reads would be taken for the next request.
        has_unread_ = admission.must_close || !parser_->is_done();
        is_last_ = is_last_ || has_unread_;
        send(std::move(*admission.refusal));
        return;
    }
    match_ = std::move(admission.match);
    body_share_ = std::move(admission.body_share);
    parser_->body_limit(context_.limits.body_bytes);
    read_body();
}

/// Only questions about health are answered in the reserve.
bool Connection::is_for_others(const Admission& admission) const {
    return admission.refusal || admission.match.role() != Role::anybody;
}

void Connection::take_head() {
    has_asked_ = true;
    is_head_ = parser_->get().method() == boost::beast::http::verb::head;
    const auto& head = parser_->get();
    request_ = {.method = std::string(head.method_string()), .target = std::string(head.target())};
    for (const auto& field : head) {
        request_.headers.push_back({std::string(field.name_string()), std::string(field.value())});
    }
    is_last_ = is_last_ || !head.keep_alive();
}

std::optional<std::uint64_t> Connection::announced_length() const {
    const auto length = parser_->content_length();
    return length ? std::optional<std::uint64_t>(*length) : std::nullopt;
}

void Connection::read_body() {
    enter(Phase::body, context_.limits.body);
    if (parser_->is_done()) {
        handle();
        return;
    }
    // Beast reads no more at once than the buffer has room for.
    buffer_.reserve(std::min<std::uint64_t>(announced_length().value_or(kReadBytes), kReadBytes));
    const auto read = [self = shared_from_this()](Error error, std::size_t) {
        if (error) {
            self->on_unreadable(error);
            return;
        }
        self->wire_.read_body(self->buffer_, *self->parser_, [self](Error failure, std::size_t) {
            self->on_body(failure);
        });
    };
    if (is_same_token(request_.header("Expect"), "100-continue")) {
        wire_.write_bytes(boost::asio::buffer(kGoOn), read);
    } else {
        read({}, 0);
    }
}

void Connection::on_body(Error error) {
    if (phase_ == Phase::closed) {
        return;
    }
    if (error) {
        on_unreadable(error);
        return;
    }
    request_.body = std::move(parser_->get().body());
    handle();
}

void Connection::on_unreadable(Error error) {
    if (phase_ == Phase::closed) {
        return;
    }
    is_last_ = true;
    has_unread_ = true;
    if (timed_out_) {
        send(problem(408, "the request took too long"));
    } else if (is_about_bytes(error)) {
        send(response_to_unreadable(error));
    } else {
        close();
    }
}

void Connection::handle() {
    phase_ = Phase::handler;
    handling_since_ = std::chrono::steady_clock::now();
    is_reading_ = match_.role() == Role::read;
    asked_ = {.method = request_.method, .target = request_.target, .headers = request_.headers};
    request_.parameters = std::move(match_.parameters);
    request_.caller = std::move(match_.caller);
    request_.scope = std::move(match_.scope);
    const Handler& handler = match_.route->handle;
    // Defended catch: a handler throws only before it has answered.
    try {
        handler(std::move(request_), [self = shared_from_this()](Response response) {
            const auto thread = self->wire_.socket().get_executor();
            boost::asio::post(thread, [self, response = std::move(response)]() mutable {
                self->send(std::move(response));
            });
        });
    } catch (const std::bad_alloc&) {
        send(no_memory());
    }
}

void Connection::send(Response response) {
    if (phase_ == Phase::closed) {
        drop(response);
        return;
    }
    if (response.undelivered && wire_.has_hung_up()) {
        drop(response);
        close();
        return;
    }
    take_back_unless_let_in(response);
    take_back_unless_held(response);
    enter(Phase::writing, context_.limits.write);
    body_share_ = {};
    if (handling_since_) {
        context_.counts.durations.add(
            std::chrono::steady_clock::now() - *std::exchange(handling_since_, {})
        );
    }
    context_.counts.responses.at(static_cast<std::size_t>(response.status / 100)).fetch_add(1);
    if (is_head_ && response.stream) {
        std::exchange(response.stream, nullptr)->hang_up();
        is_last_ = true;
    }
    stream_ = response.stream;
    undelivered_ = std::move(response.undelivered);
    is_last_ = is_last_ || stream_ != nullptr;
    response_ = on_the_wire(std::move(response), !is_last_, is_head_);
    wire_.write_message(*response_, [self = shared_from_this()](Error error, std::size_t) {
        self->on_sent(error);
    });
}

/// Jobs for a worker whose token was revoked while it waited for them.
void Connection::take_back_unless_let_in(Response& response) {
    if (!response.undelivered) {
        return;
    }
    if (auto refusal = context_.admissions.refusal_by_now(asked_, *match_.route)) {
        drop(response);
        response = std::move(*refusal);
    }
}

/// Answers that their clients do not read fast enough must not fill the memory. What was changed
/// has to be told all the same.
void Connection::take_back_unless_held(Response& response) {
    if (response.body.size() <= kSmallAnswer) {
        return;
    }
    answer_share_ = context_.answers.take(response.body.size());
    if (!answer_share_ && (is_reading_ || response.undelivered)) {
        drop(response);
        response = come_again("too many long answers at once");
    }
}

/// Nobody is there any more to send it to.
void Connection::drop(Response& response) {
    if (response.stream) {
        response.stream->hang_up();
    }
    if (response.undelivered) {
        response.undelivered();
    }
}

void Connection::on_sent(Error error) {
    if (const auto undelivered = std::exchange(undelivered_, nullptr); error && undelivered) {
        undelivered();
    }
    if (phase_ == Phase::closed) {
        return;
    }
    response_.reset();
    answer_share_ = {};
    parser_.reset();
    request_ = {};
    asked_ = {};
    if (error) {
        close();
    } else if (stream_) {
        begin_stream();
    } else if (has_unread_ || (is_last_ && wire_.is_tls())) {
        linger();
    } else if (is_last_) {
        close();
    } else {
        await_request();
    }
}

}  // namespace jobstrand::service
