#pragma once

#include "tools/service/http/body_budget.hpp"
#include "tools/service/http/gate.hpp"
#include "tools/service/http/http_connection.hpp"
#include "tools/service/http/http_counts.hpp"
#include "tools/service/http/places.hpp"
#include "tools/service/http/router.hpp"
#include "tools/service/http/server_limits.hpp"
#include "tools/text/listen_address.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cstdint>
#include <memory>
#include <thread>

namespace jobstrand::service {

/// Serves HTTP/1.1 on one address, with a thread of its own.
///
/// Thread safety: start() and stop() once each, from one thread; stop() also without start(). What
/// is passed in must outlive it, and so must whatever still holds an Answer have dropped it before
/// this object ends.
class Server final {
public:
    /// Listens, but serves nobody yet. Throws std::runtime_error, with what to do, when the address
    /// cannot be had.
    Server(
        const ListenAddress& address,
        const Router& router,
        Gate& gate,
        HttpCounts& counts,
        ServerLimits limits
    );
    ~Server();

    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    void start();

    /// Connections that come from now on speak TLS and see this certificate. From any thread.
    void use_tls(std::shared_ptr<boost::asio::ssl::context> tls);

    /// Takes no more connections, closes those that are idle, lets those that are being answered
    /// end within limits.stop, and returns when its thread has ended.
    void stop();

    /// The one that was asked for, or that the system chose for 0.
    [[nodiscard]] std::uint16_t port() const;

private:
    void run();
    void accept();
    void take(boost::asio::ip::tcp::socket socket);
    void refuse(boost::asio::ip::tcp::socket socket);
    void tick();
    void look_at_all();
    void give_memory_back();
    void close_down();

    const ServerLimits limits_;
    HttpCounts& counts_;
    BodyBudget bodies_;
    BodyBudget answers_;
    const Admissions admissions_;
    const ConnectionContext context_;
    boost::asio::io_context io_;
    boost::asio::ip::tcp::acceptor acceptor_;
    boost::asio::steady_timer ticker_;
    boost::asio::steady_timer accept_pause_;
    std::thread thread_;

    // Touched only by the thread.
    std::shared_ptr<boost::asio::ssl::context> tls_;
    Places places_;
    bool is_accepting_ = false;  ///< Or waits before it does again.
    bool is_ticking_ = false;
    std::chrono::steady_clock::time_point ends_at_ = std::chrono::steady_clock::time_point::max();
};

}  // namespace jobstrand::service
