#include "tools/service/http/http_server.hpp"

#include "tools/service/http/wire.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <stdexcept>
#include <utility>

namespace jobstrand::service {

namespace ip = boost::asio::ip;
namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using std::chrono::steady_clock;

namespace {

/// Who has just come has not had the time to say anything; clients of one address that come at once
/// do not push each other out.
constexpr std::chrono::milliseconds kFresh{100};

/// An address may hold one of so many places while others have none.
constexpr std::size_t kShares = 4;

/// How long a picture of who stands where may be used. To draw it anew for each who comes would let
/// the next ones wait when thousands come at once.
constexpr std::chrono::milliseconds kPicture{20};

}  // namespace

ip::address network_of(const ip::address& address) {
    if (!address.is_v6()) {
        return address;
    }
    const ip::address_v6 six = address.to_v6();
    if (six.is_v4_mapped()) {
        return ip::make_address_v4(ip::v4_mapped, six);
    }
    ip::address_v6::bytes_type bytes = six.to_bytes();
    std::fill(bytes.begin() + bytes.size() / 2, bytes.end(), std::uint8_t{0});
    return ip::make_address_v6(bytes);
}

/// The connections of one kind of place, by their addresses, as they were a moment ago. Who has
/// come since is among them, and who has changed is found out when it is to go.
class Places::Crowd {
public:
    Crowd(
        const std::set<std::shared_ptr<Connection>>& all,
        ConnectionPlace place,
        steady_clock::time_point now
    )
        : drawn_at_(now) {
        for (const auto& one : all) {
            if (one->standing().place == place) {
                add(one);
            }
        }
        for (auto& [address, group] : groups_) {
            std::ranges::sort(group.strangers, std::greater(), &Waiting::since);
            std::ranges::sort(group.idle, std::greater(), &Waiting::since);
        }
    }

    [[nodiscard]] bool is_old(steady_clock::time_point now) const {
        return now - drawn_at_ > kPicture;
    }

    void add(const std::shared_ptr<Connection>& one) {
        const Connection::Standing standing = one->standing();
        Group& group = groups_[standing.from];
        ++group.count;
        if (standing.is_stranger) {
            group.strangers.push_front({one, standing.since});
        }
        if (standing.is_idle) {
            group.idle.push_front({one, standing.since});
        }
    }

    /// The idlest stranger of the address with the most of them, unless they came just now from the
    /// same address; nullptr: none.
    [[nodiscard]] std::shared_ptr<Connection>
    stranger_for(const ip::address& from, steady_clock::time_point youngest) {
        const auto most = std::ranges::max_element(groups_, {}, [](const auto& one) {
            return one.second.strangers.size();
        });
        if (most == groups_.end()) {
            return nullptr;
        }
        auto& [address, group] = *most;
        const auto stranger = idlest(group.strangers, &Connection::Standing::is_stranger);
        if (!stranger) {
            return nullptr;
        }
        const bool may_go = address == from
                                ? stranger->standing().since <= youngest
                                : group.strangers.size() > groups_[from].strangers.size();
        if (!may_go) {
            return nullptr;
        }
        --group.count;
        return stranger;
    }

    /// The idlest of the address with the most places, if these are more than `share` and more than
    /// the newcomer's; nullptr: none.
    [[nodiscard]] std::shared_ptr<Connection> idle_for(const ip::address& from, std::size_t share) {
        const auto most =
            std::ranges::max_element(groups_, {}, [](const auto& one) { return one.second.count; });
        if (most == groups_.end() || most->first == from ||
            most->second.count <= std::max(share, groups_[from].count + 1)) {
            return nullptr;
        }
        auto idle = idlest(most->second.idle, &Connection::Standing::is_idle);
        if (idle) {
            --most->second.count;
        }
        return idle;
    }

private:
    struct Waiting {
        std::weak_ptr<Connection> connection;
        steady_clock::time_point since;
    };

    /// The idlest come last.
    struct Group {
        std::size_t count = 0;
        std::deque<Waiting> strangers;
        std::deque<Waiting> idle;
    };

    /// Who is so no more is forgotten.
    [[nodiscard]] static std::shared_ptr<Connection>
    idlest(std::deque<Waiting>& waiting, bool Connection::Standing::*is_so) {
        while (!waiting.empty()) {
            auto last = waiting.back().connection.lock();
            if (last && last->standing().*is_so) {
                return last;
            }
            waiting.pop_back();
        }
        return nullptr;
    }

    const steady_clock::time_point drawn_at_;
    std::map<ip::address, Group> groups_;
};

Places::Places(const ServerLimits& limits, HttpCounts& counts) : limits_(limits), counts_(counts) {}

Places::~Places() = default;

/// Those in places of this kind, not older than a moment.
Places::Crowd& Places::crowd_in(ConnectionPlace place, steady_clock::time_point now) {
    std::unique_ptr<Crowd>& crowd = crowds_.at(static_cast<std::size_t>(place));
    if (!crowd || crowd->is_old(now)) {
        crowd = std::make_unique<Crowd>(all_, place, now);
    }
    return *crowd;
}

std::optional<ConnectionPlace>
Places::make_room_for(const ip::address& from, steady_clock::time_point now) {
    if (taken(ConnectionPlace::ordinary) < limits_.connections) {
        return ConnectionPlace::ordinary;
    }
    const ip::address network = network_of(from);
    Crowd& ordinary = crowd_in(ConnectionPlace::ordinary, now);
    auto leaving = ordinary.stranger_for(network, now - kFresh);
    if (!leaving) {
        leaving = ordinary.idle_for(network, limits_.connections / kShares);
    }
    if (leaving) {
        close(*leaving);
        return ConnectionPlace::ordinary;
    }
    if (taken(ConnectionPlace::reserve) >= kReserve) {
        leaving = crowd_in(ConnectionPlace::reserve, now).stranger_for(network, now);
        if (!leaving) {
            return std::nullopt;
        }
        close(*leaving);
    }
    return ConnectionPlace::reserve;
}

void Places::close(Connection& leaving) {
    counts_.refused_connections.fetch_add(1);
    leaving.close();
}

void Places::add(std::shared_ptr<Connection> connection) {
    const ConnectionPlace place = connection->standing().place;
    if (const auto& crowd = crowds_.at(static_cast<std::size_t>(place))) {
        crowd->add(connection);
    }
    all_.insert(std::move(connection));
    ++taken(place);
}

void Places::remove(const std::shared_ptr<Connection>& connection) {
    if (all_.erase(connection) > 0) {
        --taken(connection->standing().place);
    }
}

namespace {

/// How exactly time-outs are kept.
constexpr std::chrono::seconds kTick{1};

/// After a connection could not be taken: no descriptors are left, most likely.
constexpr std::chrono::milliseconds kAcceptPause{100};

/// Bytes of requests or answers at a time, after which memory is given back.
constexpr std::size_t kMuch = std::size_t{16} * 1024 * 1024;

/// After something was thrown, so that nobody is asked for memory all the time.
constexpr std::chrono::milliseconds kBreath{10};

constexpr std::string_view kFull =
    "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\n"
    "Connection: close\r\n\r\n";

[[nodiscard]] tcp::acceptor listening(asio::io_context& io, const ListenAddress& address) {
    const tcp::endpoint endpoint(asio::ip::make_address(address.host), address.port);
    // Defended catch: an address that is taken is told in the words of who asked for it.
    try {
        return {io, endpoint};
    } catch (const boost::system::system_error& error) {
        throw std::runtime_error(fmt::format(
            "cannot listen on {} port {}: {}; choose another address",
            address.host,
            address.port,
            error.code().message()
        ));
    }
}

}  // namespace

Server::Server(
    const ListenAddress& address,
    const Router& router,
    Gate& gate,
    HttpCounts& counts,
    ServerLimits limits
)
    : limits_(limits),
      counts_(counts),
      bodies_(limits.all_body_bytes),
      answers_(limits.all_answer_bytes),
      admissions_(router, gate, limits_, bodies_),
      context_{admissions_, limits_, counts_, answers_},
      io_(1),
      acceptor_(listening(io_, address)),
      ticker_(io_),
      accept_pause_(io_),
      places_(limits_, counts_) {}

Server::~Server() {
    stop();
}

std::uint16_t Server::port() const {
    return acceptor_.local_endpoint().port();
}

void Server::start() {
    accept();
    tick();
    thread_ = std::thread([this] { run(); });
}

/// Ends with the server. What one connection meets, such as too little memory, is its own: its
/// time-out closes it.
void Server::run() {
    while (true) {
        // Defended catch: the others are served all the same.
        try {
            if (!is_accepting_ && acceptor_.is_open()) {
                accept();
            }
            if (!is_ticking_) {
                tick();
            }
            io_.run();
            return;
        } catch (const std::exception&) {
            std::this_thread::sleep_for(kBreath);
        }
    }
}

void Server::use_tls(std::shared_ptr<asio::ssl::context> tls) {
    asio::post(io_, [this, tls = std::move(tls)] { tls_ = tls; });
}

void Server::stop() {
    if (thread_.joinable()) {
        asio::post(io_, [this] { close_down(); });
        thread_.join();
    }
}

void Server::accept() {
    acceptor_.async_accept([this](error_code error, tcp::socket socket) {
        is_accepting_ = false;
        if (error == asio::error::operation_aborted) {
            return;
        }
        if (!error) {
            take(std::move(socket));
            accept();
            return;
        }
        accept_pause_.expires_after(kAcceptPause);
        accept_pause_.async_wait([this](error_code aborted) {
            is_accepting_ = false;
            if (!aborted) {
                accept();
            }
        });
        is_accepting_ = true;
    });
    is_accepting_ = true;
}

void Server::take(tcp::socket socket) {
    const auto place = places_.make_room_for(quiet_address(socket), steady_clock::now());
    if (!place) {
        refuse(std::move(socket));
        return;
    }
    counts_.connections.fetch_add(1);
    counts_.open_connections.fetch_add(1);
    Wire wire = tls_ ? Wire(std::move(socket), *tls_) : Wire(std::move(socket));
    const auto connection =
        std::make_shared<Connection>(std::move(wire), context_, *place, [this](Connection& closed) {
            counts_.open_connections.fetch_sub(1);
            places_.remove(closed.shared_from_this());
        });
    places_.add(connection);
    connection->start();
}

// As far as it goes without waiting: whoever floods gets no more of our time.
void Server::refuse(tcp::socket socket) {
    counts_.refused_connections.fetch_add(1);
    if (!tls_) {
        quietly_send(socket, asio::buffer(kFull));
    }
    quietly_end_sending(socket);
}

void Server::look_at_all() {
    const auto now = steady_clock::now();
    const bool are_places_short = places_.are_short();
    for (const auto& connection : places_.snapshot()) {
        if (now >= ends_at_) {
            connection->close();
        } else {
            connection->look_at_clock(now, are_places_short);
        }
    }
}

/// The allocator keeps what large requests took, in pieces, unless it is told to let go.
void Server::give_memory_back() {
    if (!bodies_.is_unused() || !answers_.is_unused()) {
        return;
    }
    const std::size_t most = std::max(bodies_.take_peak(), answers_.take_peak());
#ifdef __GLIBC__
    if (most > kMuch) {
        ::malloc_trim(0);
    }
#else
    static_cast<void>(most);
#endif
}

void Server::tick() {
    is_ticking_ = false;
    look_at_all();
    give_memory_back();
    const bool is_ending = ends_at_ != steady_clock::time_point::max();
    if (is_ending && places_.are_free()) {
        io_.stop();
        return;
    }
    ticker_.expires_after(is_ending ? std::chrono::milliseconds(10) : kTick);
    ticker_.async_wait([this](error_code aborted) {
        if (!aborted) {
            tick();
        }
    });
    is_ticking_ = true;
}

void Server::close_down() {
    ends_at_ = steady_clock::now() + limits_.stop;
    quietly_close(acceptor_);
    accept_pause_.cancel();
    for (const auto& connection : places_.snapshot()) {
        connection->finish();
    }
    ticker_.cancel();
    tick();
}

}  // namespace jobstrand::service
