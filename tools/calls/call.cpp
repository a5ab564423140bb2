#include "tools/calls/call.hpp"

#include <boost/asio/post.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/status.hpp>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <string>
#include <system_error>
#include <utility>

namespace jobstrand::cli {

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;

/// Of an answer; one that has more is not read to its end.
constexpr std::size_t kBodyBytes = std::size_t{256} * 1024;

/// Of its body, for the dead letter.
constexpr std::size_t kKeptBytes = std::size_t{16} * 1024;

/// What this process lacks for another connection, as an errno; 0: nothing. The errors of a call
/// do not say it: who looks for an address or tries several of them tells something else.
[[nodiscard]] int shortage_here() {
    const int probe = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (probe < 0) {
        return errno;
    }
    ::close(probe);
    return 0;
}

}  // namespace

CallPool::Call::Call(CallPool& pool, Prepare prepare, std::stop_token stop, Done done)
    : pool_(pool.shared_from_this()),
      prepare_(std::move(prepare)),
      stop_(std::move(stop)),
      done_(std::move(done)),
      deadline_(pool.io_) {}

void CallPool::Call::listen() {
    if (!on_stop_) {
        on_stop_.emplace(stop_, [this, weak = weak_from_this()] {
            asio::post(pool_->io_, [weak] {
                if (const auto self = weak.lock()) {
                    self->end({.kind = CallAnswer::Kind::stopped});
                }
            });
        });
    }
}

void CallPool::Call::start() {
    has_turn_ = true;
    listen();
    schema::Duration limit{0};
    // Defended catch: a request that cannot be made, not even signed, is how this call ends.
    try {
        Prepared prepared = prepare_();
        request_ = std::move(prepared.request);
        limit = prepared.limit;
    } catch (const std::exception& error) {
        // Not from here: the next one's turn would come within this one's.
        asio::post(pool_->io_, [self = shared_from_this(), text = std::string(error.what())] {
            self->end({.kind = CallAnswer::Kind::failed, .error = text});
        });
        return;
    }
    deadline_.expires_after(limit);
    deadline_.async_wait([self = shared_from_this()](Error error) {
        if (!error) {
            self->end({.kind = CallAnswer::Kind::timed_out});
        }
    });
    wire_ = pool_->idle_wire();
    is_reused_ = wire_ != nullptr;
    if (is_reused_) {
        send();
    } else {
        find_address();
    }
}

template <typename Next>
Wire::Done CallPool::Call::then(Next next) {
    return [self = shared_from_this(), next = std::move(next)](Error error) {
        if (!self->has_ended()) {
            next(error);
        }
    };
}

void CallPool::Call::find_address() {
    pool_->resolve([self = shared_from_this()](Error error, const Wire::Endpoints& endpoints) {
        if (self->has_ended()) {
            return;
        }
        if (error) {
            self->on_broken("no address", error);
        } else {
            self->open(endpoints);
        }
    });
}

void CallPool::Call::open(const Wire::Endpoints& endpoints) {
    wire_ = pool_->new_wire();
    wire_->open(endpoints, then([this](Error error) {
                    if (error) {
                        on_broken("cannot connect", error);
                    } else {
                        send();
                    }
                }));
}

void CallPool::Call::send() {
    wire_->send(request_, then([this](Error error) {
                    if (error) {
                        on_broken("cannot send", error);
                    } else {
                        receive();
                    }
                }));
}

void CallPool::Call::receive() {
    parser_.emplace();
    parser_->body_limit(kBodyBytes);
    wire_->receive(*parser_, then([this](Error error) { on_received(error); }));
}

void CallPool::Call::on_received(Error error) {
    // What has more than anybody will read is an answer all the same.
    if (error == http::error::body_limit) {
        on_answer();
    } else if (error) {
        on_broken("no answer", error);
    } else if (http::to_status_class(parser_->get().result()) == http::status_class::informational) {
        receive();
    } else if (is_reused_ && parser_->get().result() == http::status::request_timeout) {
        // What servers and proxies say before they close an idle connection (RFC 9110, 15.5.9); it
        // was under way when this request was sent.
        parser_.reset();
        on_broken("no answer", http::error::end_of_stream);
    } else {
        on_answer();
    }
}

// A connection of a former call may have been closed before this request came: the request, which
// has an id of its own, is sent once more.
void CallPool::Call::on_broken(std::string_view what, Error error) {
    const bool is_answer_begun = parser_ && parser_->got_some();
    wire_.reset();
    if (std::exchange(is_reused_, false) && !is_answer_begun) {
        find_address();
        return;
    }
    const int shortage = is_answer_begun ? 0 : shortage_here();
    if (shortage != 0) {
        end({
            .kind = CallAnswer::Kind::not_begun,
            .error = std::generic_category().message(shortage),
        });
        return;
    }
    end({
        .kind = CallAnswer::Kind::failed,
        .error = fmt::format("{} ({}): {}", what, pool_->target_.url.authority, error.message()),
    });
}

void CallPool::Call::on_answer() {
    const auto& response = parser_->get();
    CallAnswer answer{
        .kind = CallAnswer::Kind::answered,
        .status = static_cast<int>(response.result_int()),
        .reason = std::string(response.reason()),
        .retry_after = std::string(response[http::field::retry_after]),
        .body = response.body().substr(0, kKeptBytes),
    };
    if (parser_->is_done() && response.keep_alive()) {
        pool_->keep(std::move(wire_));
    }
    end(std::move(answer));
}

void CallPool::Call::end(CallAnswer answer) {
    const Done done = std::exchange(done_, nullptr);
    if (done == nullptr) {
        return;
    }
    on_stop_.reset();
    deadline_.cancel();
    if (wire_ != nullptr) {
        wire_->close();  // What is under way still needs it; it ends with this call.
    }
    done(std::move(answer));
    if (has_turn_) {
        pool_->turn_ended();
    }
}

}  // namespace jobstrand::cli
