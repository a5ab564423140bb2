#include "tools/service/http/places.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <utility>

namespace jobstrand::service {

namespace {

namespace ip = boost::asio::ip;
using std::chrono::steady_clock;

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

}  // namespace jobstrand::service
