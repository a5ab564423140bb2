#include "tools/service/http/http_connection.hpp"
#include "tools/service/http/problem.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <new>
#include <string>
#include <string_view>
#include <utility>

/// A connection from the head of a request to its response.
namespace jobstrand::service {

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
