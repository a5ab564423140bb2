#include "tools/service/http/places.hpp"

#include <algorithm>
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

/// The connections of one kind of place, by their addresses.
class Places::Crowd {
public:
    Crowd(const std::set<std::shared_ptr<Connection>>& all, ConnectionPlace place) {
        for (const auto& one : all) {
            if (one->standing().place == place) {
                add(one);
            }
        }
    }

    /// The idlest stranger of the address with the most of them, unless they came just now from the
    /// same address; nullptr: none.
    [[nodiscard]] std::shared_ptr<Connection>
    stranger_for(const ip::address& from, steady_clock::time_point youngest) const {
        const auto most = std::ranges::max_element(groups_, {}, [](const auto& one) {
            return one.second.strangers;
        });
        if (most == groups_.end() || most->second.strangers == 0) {
            return nullptr;
        }
        const Group& group = most->second;
        const bool may_go = most->first == from ? group.stranger->standing().since <= youngest
                                                : group.strangers > group_of(from).strangers;
        return may_go ? group.stranger : nullptr;
    }

    /// The idlest of the address with the most places, if these are more than `share` and more than
    /// the newcomer's; nullptr: none.
    [[nodiscard]] std::shared_ptr<Connection> idle_for(const ip::address& from, std::size_t share)
        const {
        const auto most =
            std::ranges::max_element(groups_, {}, [](const auto& one) { return one.second.count; });
        const bool must_go = most != groups_.end() && most->first != from &&
                             most->second.count > std::max(share, group_of(from).count + 1);
        return must_go ? most->second.idle : nullptr;
    }

private:
    struct Group {
        std::size_t count = 0;
        std::size_t strangers = 0;
        std::shared_ptr<Connection> stranger = {};  ///< The idlest.
        std::shared_ptr<Connection> idle = {};      ///< The idlest, stranger or not.
    };

    void add(const std::shared_ptr<Connection>& one) {
        const Connection::Standing standing = one->standing();
        Group& group = groups_[standing.from];
        const auto keep_idlest = [&](std::shared_ptr<Connection>& idlest) {
            if (!idlest || standing.since < idlest->standing().since) {
                idlest = one;
            }
        };
        ++group.count;
        if (standing.is_stranger) {
            ++group.strangers;
            keep_idlest(group.stranger);
        }
        if (standing.is_idle) {
            keep_idlest(group.idle);
        }
    }

    [[nodiscard]] Group group_of(const ip::address& from) const {
        const auto found = groups_.find(from);
        return found == groups_.end() ? Group{} : found->second;
    }

    std::map<ip::address, Group> groups_;
};

std::optional<ConnectionPlace>
Places::make_room_for(const ip::address& from, steady_clock::time_point now) {
    if (all_.size() < limits_.connections) {
        return ConnectionPlace::ordinary;
    }
    const ip::address network = network_of(from);
    const Crowd ordinary(all_, ConnectionPlace::ordinary);
    auto leaving = ordinary.stranger_for(network, now - kFresh);
    if (!leaving) {
        leaving = ordinary.idle_for(network, limits_.connections / kShares);
    }
    if (leaving) {
        close(*leaving);
        return ConnectionPlace::ordinary;
    }
    if (all_.size() >= limits_.connections + kReserve) {
        leaving = Crowd(all_, ConnectionPlace::reserve).stranger_for(network, now);
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
    all_.insert(std::move(connection));
}

}  // namespace jobstrand::service
