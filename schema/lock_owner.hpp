#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// What stands in LOCK_OWNER_ when nobody has configured a name: `HOST:PROCESS:RANDOM`. Pure.
namespace jobstrand::schema {

/// Where a node runs.
struct NodeAddress {
    std::string host;
    std::int64_t process = 0;

    bool operator==(const NodeAddress&) const = default;
};

/// Characters of a host name that are told; Linux allows no more.
inline constexpr std::size_t kHostLength = 64;

/// Tells a node from all others, also from those that had its process number before.
using NodeRandom = std::array<std::uint64_t, 2>;

/// The lock owner of a node, at most 118 characters of ASCII. What no host name may hold becomes
/// `-`.
[[nodiscard]] std::string lock_owner_of(const NodeAddress& node, const NodeRandom& random);

/// The inverse; nullopt: the name was configured, or is Flowable's.
[[nodiscard]] std::optional<NodeAddress> node_of(std::string_view lock_owner);

}  // namespace jobstrand::schema
