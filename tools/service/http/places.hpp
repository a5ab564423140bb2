#pragma once

#include "tools/service/http/http_connection.hpp"
#include "tools/service/http/http_counts.hpp"
#include "tools/service/http/server_limits.hpp"

#include <boost/asio/ip/address.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <set>
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

}  // namespace jobstrand::service
