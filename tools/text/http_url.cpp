#include "tools/text/http_url.hpp"

#include <algorithm>
#include <charconv>

namespace jobstrand::cli {

namespace {

using schema::ParseError;

constexpr std::string_view kPlain = "http://";
constexpr std::string_view kTls = "https://";

[[nodiscard]] bool is_visible_ascii(char c) {
    return c > ' ' && c < '\x7f';
}

[[nodiscard]] bool is_port(std::string_view text) {
    unsigned port = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
    return error == std::errc{} && end == text.data() + text.size() && port >= 1 && port <= 65535;
}

/// Splits `host:port`; false: it has no such form.
[[nodiscard]] bool read_authority(std::string_view text, HttpUrl& url) {
    url.authority = text;
    const bool is_ipv6 = text.starts_with('[');
    const std::size_t bracket = text.find(']');
    if (is_ipv6 && bracket == std::string_view::npos) {
        return false;
    }
    const std::size_t host_end = is_ipv6 ? bracket + 1 : std::min(text.find(':'), text.size());
    const std::string_view rest = text.substr(host_end);
    url.host = is_ipv6 ? text.substr(1, bracket - 1) : text.substr(0, host_end);
    if (rest.empty()) {
        url.port = url.is_tls ? "443" : "80";
    } else if (rest.starts_with(':') && is_port(rest.substr(1))) {
        url.port = rest.substr(1);
    } else {
        return false;
    }
    return !url.host.empty();
}

}  // namespace

schema::ParseResult<HttpUrl> parse_http_url(std::string_view text) {
    HttpUrl url{.is_tls = text.starts_with(kTls)};
    if (!url.is_tls && !text.starts_with(kPlain)) {
        return ParseError{"must begin with http:// or https://"};
    }
    if (!std::ranges::all_of(text, is_visible_ascii)) {
        return ParseError{"must not have blanks, control characters or letters beyond ASCII in it"};
    }
    if (text.find('#') != std::string_view::npos) {
        return ParseError{"must not have a fragment (#...)"};
    }
    const std::string_view rest = text.substr(url.is_tls ? kTls.size() : kPlain.size());
    const std::size_t end = std::min(rest.find_first_of("/?"), rest.size());
    const std::string_view authority = rest.substr(0, end);
    if (authority.find('@') != std::string_view::npos) {
        return ParseError{"must not have a user or a password in it; use secretFile or headers"};
    }
    if (!read_authority(authority, url)) {
        return ParseError{"needs a host, and after a colon a port from 1 to 65535"};
    }
    const std::string_view target = rest.substr(end);
    url.target = target.starts_with('/') ? target : "/" + std::string(target);
    return url;
}

}  // namespace jobstrand::cli
