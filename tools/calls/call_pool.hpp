#pragma once

#include "schema/time.hpp"
#include "tools/calls/call_messages.hpp"
#include "tools/calls/http_client.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

namespace jobstrand::cli {

/// The calls of one app: up to TargetSettings::calls at once, on connections that are kept for the
/// next ones; further calls wait for their turn.
///
/// Thread safety: call() is safe; the rest happens on the thread of the context, which must outlive
/// it.
class CallPool final : public std::enable_shared_from_this<CallPool> {
public:
    using Done = std::function<void(CallAnswer)>;
    struct Prepared {
        CallRequest request;
        schema::Duration limit;  ///< For the answer.
    };
    /// Called when its turn has come: the time counts from there. What it throws ends the call.
    using Prepare = std::function<Prepared()>;

    /// Throws std::runtime_error for a caFile that cannot be read.
    CallPool(boost::asio::io_context& io, HttpTarget target);

    [[nodiscard]] const HttpTarget& target() const { return target_; }

    /// `done` is called once, on the thread of the context.
    void call(Prepare prepare, std::stop_token stop, Done done);

private:
    class Call;

    struct IdleWire {
        std::unique_ptr<Wire> wire;
        std::chrono::steady_clock::time_point since;
    };

    void take_turn(const std::shared_ptr<Call>& call);
    void turn_ended();

    /// The endpoints of the host, from what was found lately or anew.
    using Resolved = std::function<void(boost::system::error_code, Wire::Endpoints)>;
    void resolve(Resolved resolved);
    /// Nobody was there: the host may have another address by now.
    void forget_endpoints() { endpoints_ = {}; }

    /// nullptr: there is none that is quiet.
    [[nodiscard]] std::unique_ptr<Wire> idle_wire();
    [[nodiscard]] std::unique_ptr<Wire> new_wire() { return wire_to(target_.url, io_, tls_); }
    /// For the next call, if it is quiet.
    void keep(std::unique_ptr<Wire> wire);
    void close_old_wires();

    // Constant after construction.
    boost::asio::io_context& io_;
    const HttpTarget target_;

    // Touched only on the thread of the context.
    boost::asio::ssl::context tls_;
    boost::asio::ip::tcp::resolver resolver_;
    Wire::Endpoints endpoints_;
    std::chrono::steady_clock::time_point resolved_at_ =
        std::chrono::steady_clock::time_point::min();
    std::size_t under_way_ = 0;
    std::deque<std::shared_ptr<Call>> waiting_;
    std::vector<IdleWire> idle_;  ///< The last used one last.
    boost::asio::steady_timer sweep_;
    bool is_sweeping_ = false;
};

}  // namespace jobstrand::cli
