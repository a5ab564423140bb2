#pragma once

#include "schema/text/parsing.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace jobstrand::service {

/// A part of a URL without its escapes (RFC 3986). nullopt: a bad escape, a control character, or
/// bytes that are not UTF-8.
[[nodiscard]] std::optional<std::string> percent_decoded(std::string_view text);

/// A segment of a path with all that is not a letter, a digit or one of `-._~` escaped.
[[nodiscard]] std::string percent_encoded(std::string_view text);

using QueryItem = std::pair<std::string, std::string>;

/// `type=mail&limit=10`, decoded, `+` as a blank; a name without `=` has an empty value. nullopt:
/// as percent_decoded.
[[nodiscard]] std::optional<std::vector<QueryItem>> query_items(std::string_view query);

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

namespace jobstrand::cli {

/// Where an app is called: `https://app.example:8443/jobs?source=jobstrand`.
struct HttpUrl {
    bool is_tls = false;
    std::string host = {};  ///< Without the brackets of an IPv6 address.
    std::string port = {};
    std::string authority = {};  ///< Host and port as the URL writes them.
    std::string target = "/";    ///< Path and query.
};

/// A user, a password or a fragment in it is an error, as is everything that no URL has.
[[nodiscard]] schema::ParseResult<HttpUrl> parse_http_url(std::string_view text);

}  // namespace jobstrand::cli
