#include "tools/service/http/connection.hpp"

#include "tools/service/http/problem.hpp"
#include "tools/service/http/quiet_calls.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>

namespace jobstrand::service {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using std::chrono::steady_clock;

/// What is read at once.
constexpr std::size_t kReadBytes = std::size_t{8} * 1024;

/// How long a client may go on sending what nobody wants, after it was told so.
constexpr std::chrono::seconds kLinger{2};

}  // namespace

Connection::Connection(Socket socket, const ConnectionContext& context, Closed closed)
    : socket_(std::move(socket)),
      context_(context),
      closed_(std::move(closed)),
      deadline_(steady_clock::now() + context.limits.idle),
      buffer_(context.limits.header_bytes + kReadBytes) {}

void Connection::start() {
    quietly_hurry(socket_);
    await_request();
}

void Connection::look_at_clock(steady_clock::time_point now) {
    if (phase_ == Phase::closed || phase_ == Phase::handler || now < deadline_) {
        return;
    }
    // Half a request deserves a word; a reading that is cancelled says it.
    if (phase_ == Phase::header || phase_ == Phase::body) {
        timed_out_ = true;
        quietly_cancel(socket_);
        return;
    }
    close();
}

void Connection::finish() {
    is_last_ = true;
    if (phase_ == Phase::idle) {
        close();
    }
}

void Connection::close() {
    if (std::exchange(phase_, Phase::closed) == Phase::closed) {
        return;
    }
    quietly_close(socket_);
    closed_(*this);
}

void Connection::enter(Phase phase, std::chrono::seconds limit) {
    phase_ = phase;
    deadline_ = steady_clock::now() + limit;
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
    socket_.async_wait(Socket::wait_read, [self = shared_from_this()](Error error) {
        if (self->phase_ != Phase::idle) {
            return;
        }
        if (error) {
            self->close();
        } else {
            self->read_head();
        }
    });
}

void Connection::read_head() {
    enter(Phase::header, context_.limits.header);
    parser_.emplace();
    parser_->header_limit(static_cast<std::uint32_t>(context_.limits.header_bytes));
    // That of the path is told before any of it is read.
    parser_->body_limit(std::numeric_limits<std::uint64_t>::max());
    http::async_read_header(
        socket_,
        buffer_,
        *parser_,
        [self = shared_from_this()](Error error, std::size_t) { self->on_head(error); }
    );
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
        {.request = request_, .version = parser_->get().version()},
        {.is_there = !parser_->is_done(), .length = announced_length()}
    );
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

void Connection::take_head() {
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
    const auto read = [self = shared_from_this()](Error error, std::size_t) {
        if (error) {
            self->on_unreadable(error);
            return;
        }
        http::async_read(
            self->socket_,
            self->buffer_,
            *self->parser_,
            [self](Error failure, std::size_t) { self->on_body(failure); }
        );
    };
    if (is_same_token(request_.header("Expect"), "100-continue")) {
        static constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
        asio::async_write(socket_, asio::buffer(go_on), read);
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
    handling_since_ = steady_clock::now();
    request_.parameters = std::move(match_.parameters);
    const Handler& handler = match_.route->handle;
    handler(std::move(request_), [self = shared_from_this()](Response response) {
        asio::post(self->socket_.get_executor(), [self, response = std::move(response)]() mutable {
            self->send(std::move(response));
        });
    });
}

void Connection::send(Response response) {
    if (phase_ == Phase::closed) {
        return;
    }
    enter(Phase::writing, context_.limits.write);
    body_share_ = {};
    if (handling_since_) {
        context_.counts.durations.add(steady_clock::now() - *std::exchange(handling_since_, {}));
    }
    context_.counts.responses.at(static_cast<std::size_t>(response.status / 100)).fetch_add(1);
    response_ = on_the_wire(std::move(response), !is_last_);
    http::async_write(socket_, *response_, [self = shared_from_this()](Error error, std::size_t) {
        self->on_sent(error);
    });
}

void Connection::on_sent(Error error) {
    if (phase_ == Phase::closed) {
        return;
    }
    response_.reset();
    parser_.reset();
    request_ = {};
    if (!error && has_unread_) {
        linger();
    } else if (error || is_last_) {
        close();
    } else {
        await_request();
    }
}

// To close with unread bytes resets the connection, and the response could be lost on its way.
void Connection::linger() {
    enter(Phase::lingering, kLinger);
    quietly_end_sending(socket_);
    buffer_.clear();
    discard_more();
}

void Connection::discard_more() {
    socket_.async_read_some(
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

}  // namespace jobstrand::service
