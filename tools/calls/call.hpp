#pragma once

#include "tools/calls/call_pool.hpp"

#include <boost/asio/steady_timer.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>

namespace jobstrand::cli {

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

}  // namespace jobstrand::cli
