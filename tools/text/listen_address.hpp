#pragma once

#include "schema/text/parse_result.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace jobstrand::service {

/// Where a server listens.
struct ListenAddress {
    std::string host;  ///< A numeric address, IPv4 or IPv6.
    std::uint16_t port = 0;

    /// Only this machine reaches it.
    bool is_loopback = false;
};

/// `127.0.0.1:8080`, `[::1]:8080`, `localhost:8080`; a port alone is one of 127.0.0.1, and port 0
/// one that the system chooses. The error says what it must be.
[[nodiscard]] schema::ParseResult<ListenAddress> parse_listen_address(std::string_view text);

}  // namespace jobstrand::service
