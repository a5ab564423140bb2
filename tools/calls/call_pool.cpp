#include "tools/calls/call_pool.hpp"

#include <boost/asio/post.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/status.hpp>
#include <boost/system/system_error.hpp>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace jobstrand::cli {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using namespace std::chrono_literals;
using boost::system::error_code;
using std::chrono::steady_clock;

/// One call, from its turn to its answer: an address, a connection (that of a former call, if one
/// is left), the request, the answer. It ends at its deadline and at the job's stop signal,
/// wherever it stands.
///
/// Thread safety: none; all of it happens on the thread of the context. It lives as long as
/// anything of it is under way.
class CallPool::Call final : public std::enable_shared_from_this<CallPool::Call> {
public:
    Call(CallPool& pool, Prepare prepare, std::stop_token stop, Done done);

    /// Its turn has not come; the stop signal ends it all the same.
    void wait() { listen(); }

    /// Its turn has come.
    void start();

    [[nodiscard]] bool has_ended() const { return done_ == nullptr; }

private:
    using Error = boost::system::error_code;

    /// What to do with the answer of an operation, unless the call has ended meanwhile.
    template <typename Next>
    [[nodiscard]] Wire::Done then(Next next);

    void listen();
    void find_address();
    void open(const Wire::Endpoints& endpoints);
    void send();
    void receive();
    void on_received(Error error);
    void on_broken(std::string_view what, Error error);
    void on_answer();
    void end(CallAnswer answer);

    const std::shared_ptr<CallPool> pool_;
    const Prepare prepare_;
    const std::stop_token stop_;
    Done done_;  ///< Empty: it has ended.
    std::optional<std::stop_callback<std::function<void()>>> on_stop_;
    boost::asio::steady_timer deadline_;
    bool has_turn_ = false;
    bool is_reused_ = false;  ///< The wire: the app may have closed it meanwhile.
    std::unique_ptr<Wire> wire_;
    CallRequest request_;
    std::optional<Wire::Parser> parser_;
};

namespace {

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
                        pool_->forget_endpoints();
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

namespace {

/// How long a connection that nobody uses is kept; servers keep them for some time longer.
constexpr auto kIdle = 15s;

/// How long an address counts.
constexpr auto kResolved = 30s;

void trust(asio::ssl::context& tls, const HttpTarget& target) {
    tls.set_verify_mode(asio::ssl::verify_peer);
    error_code error;
    if (target.settings.ca_file.empty()) {
        error = tls.set_default_verify_paths(error);
    } else {
        error = tls.load_verify_file(target.settings.ca_file, error);
    }
    if (error) {
        throw std::runtime_error(fmt::format(
            "[targets.{}] caFile: {} is not a file of certificates (PEM): {}",
            target.name,
            target.settings.ca_file,
            error.message()
        ));
    }
}

}  // namespace

CallPool::CallPool(asio::io_context& io, HttpTarget target)
    : io_(io),
      target_(std::move(target)),
      tls_(asio::ssl::context::tls_client),
      resolver_(io),
      sweep_(io) {
    if (target_.url.is_tls) {
        trust(tls_, target_);
    }
}

void CallPool::call(Prepare prepare, std::stop_token stop, Done done) {
    auto call = std::make_shared<Call>(*this, std::move(prepare), std::move(stop), std::move(done));
    asio::post(io_, [self = shared_from_this(), call = std::move(call)] { self->take_turn(call); });
}

void CallPool::take_turn(const std::shared_ptr<Call>& call) {
    if (under_way_ < target_.settings.calls) {
        ++under_way_;
        call->start();
    } else {
        call->wait();
        waiting_.push_back(call);
    }
}

void CallPool::turn_ended() {
    --under_way_;
    while (!waiting_.empty() && under_way_ < target_.settings.calls) {
        const std::shared_ptr<Call> next = std::move(waiting_.front());
        waiting_.pop_front();
        if (!next->has_ended()) {
            ++under_way_;
            next->start();
        }
    }
}

void CallPool::resolve(Resolved resolved) {
    if (!endpoints_.empty() && steady_clock::now() - resolved_at_ < kResolved) {
        resolved({}, endpoints_);
        return;
    }
    resolver_.async_resolve(
        target_.url.host,
        target_.url.port,
        [self = shared_from_this(),
         resolved = std::move(resolved)](error_code error, const Wire::Endpoints& endpoints) {
            if (!error) {
                self->endpoints_ = endpoints;
                self->resolved_at_ = steady_clock::now();
            }
            resolved(error, endpoints);
        }
    );
}

std::unique_ptr<Wire> CallPool::idle_wire() {
    while (!idle_.empty()) {
        std::unique_ptr<Wire> wire = std::move(idle_.back().wire);
        idle_.pop_back();
        if (wire->is_quiet()) {
            return wire;
        }
    }
    return nullptr;
}

void CallPool::keep(std::unique_ptr<Wire> wire) {
    if (!wire->is_quiet()) {
        return;
    }
    idle_.push_back({std::move(wire), steady_clock::now()});
    if (!std::exchange(is_sweeping_, true)) {
        close_old_wires();
    }
}

// Comes back until there is none left.
void CallPool::close_old_wires() {
    const auto now = steady_clock::now();
    const auto first_young = std::ranges::find_if(idle_, [now](const IdleWire& idle) {
        return now - idle.since < kIdle;
    });
    idle_.erase(idle_.begin(), first_young);
    if (idle_.empty()) {
        is_sweeping_ = false;
        return;
    }
    sweep_.expires_after(kIdle);
    sweep_.async_wait([weak = weak_from_this()](error_code error) {
        const auto self = weak.lock();
        if (self != nullptr && !error) {
            self->close_old_wires();
        }
    });
}

}  // namespace jobstrand::cli
