#include "tools/calls/call_pool.hpp"

#include "tools/calls/call.hpp"

#include <boost/asio/post.hpp>
#include <boost/system/system_error.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace jobstrand::cli {

namespace {

using namespace std::chrono_literals;
namespace asio = boost::asio;
using boost::system::error_code;
using std::chrono::steady_clock;

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
