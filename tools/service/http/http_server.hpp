#pragma once

#include "tools/service/http/admission.hpp"
#include "tools/service/http/http_connection.hpp"
#include "tools/service/http/router.hpp"
#include "tools/service/http/server_limits.hpp"
#include "tools/text/http_address.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <thread>
#include <vector>

namespace jobstrand::service {

/// The connections of a server, and who makes room when there are too many.
///
/// A stranger is a connection none of whose requests was let in yet: it has sent nothing, half a
/// head, half a handshake of TLS, or what was refused. When all places are taken, the idlest
/// stranger of the address with the most of them goes; where there are none, the idlest connection
/// of an address that has more than its share, for the sake of another address. So whoever takes
/// places without a use for them takes them from himself. A few places more are kept for questions
/// about the service's health.
///
/// Thread safety: none; it belongs to the thread that serves sockets.
class Places final {
public:
    /// Beyond the limit, for nothing but health.
    static constexpr std::size_t kReserve = 8;

    /// Both must outlive it.
    Places(const ServerLimits& limits, HttpCounts& counts);
    ~Places();
    Places(const Places&) = delete;
    Places& operator=(const Places&) = delete;

    /// The kind of place that a client from this address gets, after somebody was closed for it if
    /// need be; nullopt: none.
    [[nodiscard]] std::optional<ConnectionPlace>
    make_room_for(const boost::asio::ip::address& from, std::chrono::steady_clock::time_point now);

    void add(std::shared_ptr<Connection> connection);
    void remove(const std::shared_ptr<Connection>& connection);

    [[nodiscard]] bool are_short() const { return all_.size() * 4 >= limits_.connections * 3; }
    [[nodiscard]] bool are_free() const { return all_.empty(); }

    /// As they are now: each may leave while they are gone through.
    [[nodiscard]] std::vector<std::shared_ptr<Connection>> snapshot() const {
        return {all_.begin(), all_.end()};
    }

private:
    class Crowd;

    [[nodiscard]] std::size_t& taken(ConnectionPlace place) {
        return taken_.at(static_cast<std::size_t>(place));
    }
    [[nodiscard]] Crowd& crowd_in(ConnectionPlace place, std::chrono::steady_clock::time_point now);
    void close(Connection& leaving);

    const ServerLimits& limits_;
    HttpCounts& counts_;
    std::set<std::shared_ptr<Connection>> all_;
    std::array<std::size_t, 2> taken_{};            ///< Of them, by the kind of place.
    std::array<std::unique_ptr<Crowd>, 2> crowds_;  ///< By the kind of place.
};

/// The addresses that one client can take at will: one of IPv4, a network of 64 bits of IPv6.
[[nodiscard]] boost::asio::ip::address network_of(const boost::asio::ip::address& address);

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
