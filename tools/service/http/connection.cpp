#include "tools/service/http/connection.hpp"

#include "tools/service/http/head_check.hpp"
#include "tools/service/http/http_date.hpp"
#include "tools/service/http/problem.hpp"
#include "tools/service/http/quiet_calls.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>

#include <algorithm>
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

[[nodiscard]] bool is_of_http(const beast::error_code& error) {
    return error.category() == beast::error_code(http::error::bad_method).category();
}

[[nodiscard]] Response response_to_unreadable(const beast::error_code& error) {
    if (error == http::error::header_limit || error == http::error::buffer_overflow) {
        return problem(431, "the request line and its headers are too long");
    }
    if (error == http::error::body_limit) {
        return problem(413, "the body is too long: send it in parts");
    }
    return problem(400, "this is no HTTP request: " + error.message());
}

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
    bool must_close = false;
    if (auto refusal = refusal_of_head(must_close)) {
        // A body that nobody reads would be taken for the next request.
        has_unread_ = must_close || !parser_->is_done();
        is_last_ = is_last_ || has_unread_;
        send(std::move(*refusal));
        return;
    }
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

std::optional<Response> Connection::refusal_of_head(bool& must_close) {
    if (auto refusal =
            service::refusal_of({.request = request_, .version = parser_->get().version()})) {
        must_close = true;
        return refusal;
    }
    auto found = context_.router.find(request_.method, request_.path());
    if (auto* const refusal = std::get_if<Response>(&found)) {
        // Who may not even read is not told what there is.
        auto unknown = context_.gate.refusal(request_, Role::read);
        return unknown ? std::move(*unknown) : std::move(*refusal);
    }
    match_ = std::move(std::get<RouteMatch>(found));
    if (auto refusal = context_.gate.refusal(request_, match_.route->role)) {
        return refusal;
    }
    return refusal_of_body(*match_.route);
}

std::optional<Response> Connection::refusal_of_body(const Route& route) {
    const std::size_t most = route.takes.empty() ? 0 : context_.limits.body_bytes;
    const auto length = parser_->content_length();
    if (parser_->is_done() || length == std::uint64_t{0}) {
        return std::nullopt;
    }
    if (route.takes.empty()) {
        return problem(413, "this path takes no body");
    }
    if (length && *length > most) {
        return problem(413, "the body is too long: send it in parts");
    }
    const std::string_view type = request_.header("Content-Type");
    const std::string_view media = type.substr(0, type.find_first_of("; \t"));
    if (std::ranges::none_of(route.takes, [&](auto taken) {
            return is_same_token(taken, media);
        })) {
        return problem(415, "Content-Type must be " + std::string(route.takes.front()));
    }
    body_share_ = context_.bodies.take(length ? static_cast<std::size_t>(*length) : most);
    if (!body_share_) {
        return come_again("too many large requests at once");
    }
    parser_->body_limit(most);
    return std::nullopt;
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
    } else if (is_of_http(error) && error != http::error::end_of_stream && error != http::error::partial_message) {
        send(response_to_unreadable(error));
    } else {
        close();
    }
}

void Connection::handle() {
    phase_ = Phase::handler;
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
    context_.counts.responses.at(static_cast<std::size_t>(response.status / 100)).fetch_add(1);
    response_.emplace();
    response_->version(11);
    response_->result(static_cast<unsigned>(response.status));
    response_->reason(std::string(words_of(response.status)));
    response_->set(http::field::date, http_date());
    // Answers are of this moment, and no page shall take them for anything but what they are.
    response_->set(http::field::cache_control, "no-store");
    response_->set("X-Content-Type-Options", "nosniff");
    for (const Header& header : response.headers) {
        response_->set(header.name, header.value);
    }
    if (response.status != 204) {
        response_->set(http::field::content_type, response.content_type);
        response_->body() = std::move(response.body);
        response_->prepare_payload();
    }
    response_->keep_alive(!is_last_);
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
