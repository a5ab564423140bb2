#include "tools/service/http/http_connection.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>

#include <utility>

/// A connection whose response goes on.
namespace jobstrand::service {

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
