#include "tools/text/http_address.hpp"

#include "schema/text/utf8.hpp"

#include <boost/asio/ip/address.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace jobstrand::service {

namespace {

/// nullopt: not two hexadecimal digits.
[[nodiscard]] std::optional<char> byte_of(std::string_view digits) {
    unsigned value = 0;
    const char* const end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, value, 16);
    return digits.size() == 2 && stop == end && error == std::errc{}
               ? std::optional(static_cast<char>(value))
               : std::nullopt;
}

[[nodiscard]] bool is_control(char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
}

}  // namespace

std::optional<std::string> percent_decoded(std::string_view text) {
    std::string decoded;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            decoded += text[i];
            continue;
        }
        const auto byte = byte_of(text.substr(i + 1, 2));
        if (!byte) {
            return std::nullopt;
        }
        decoded += *byte;
        i += 2;
    }
    if (std::ranges::any_of(decoded, is_control) || !schema::count_characters(decoded)) {
        return std::nullopt;
    }
    return decoded;
}

std::string percent_encoded(std::string_view text) {
    std::string encoded;
    for (const char c : text) {
        const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                              (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' ||
                              c == '~';
        encoded +=
            is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return encoded;
}

std::optional<std::vector<QueryItem>> query_items(std::string_view query) {
    std::vector<QueryItem> items;
    while (!query.empty()) {
        std::string item(query.substr(0, query.find('&')));
        query.remove_prefix(std::min(item.size() + 1, query.size()));
        std::ranges::replace(item, '+', ' ');
        const std::size_t sign = std::min(item.find('='), item.size());
        auto name = percent_decoded(std::string_view(item).substr(0, sign));
        auto value =
            percent_decoded(std::string_view(item).substr(std::min(sign + 1, item.size())));
        if (!name || !value) {
            return std::nullopt;
        }
        if (!item.empty()) {
            items.emplace_back(std::move(*name), std::move(*value));
        }
    }
    return items;
}

namespace {

constexpr std::string_view kForm =
    "must be an address with a port, such as 127.0.0.1:8080, [::1]:8080, or a port alone";

[[nodiscard]] std::string_view without_brackets(std::string_view host) {
    const bool has_both = host.size() > 2 && host.front() == '[' && host.back() == ']';
    return has_both ? host.substr(1, host.size() - 2) : host;
}

}  // namespace

schema::ParseResult<ListenAddress> parse_listen_address(std::string_view text) {
    const std::size_t colon = text.rfind(':');
    const bool has_host = colon != std::string_view::npos;
    std::string_view host = has_host ? text.substr(0, colon) : "127.0.0.1";
    const std::string_view digits = has_host ? text.substr(colon + 1) : text;
    ListenAddress address;
    const char* const end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, address.port);
    if (error != std::errc{} || stop != end) {
        return schema::ParseError{std::string(kForm)};
    }
    if (host == "localhost") {
        host = "127.0.0.1";
    }
    const bool is_bare_ipv6 = host.find(':') != std::string_view::npos && host.front() != '[';
    address.host = without_brackets(host);
    boost::system::error_code no_address;
    const auto numeric = boost::asio::ip::make_address(address.host, no_address);
    if (no_address || is_bare_ipv6) {
        return schema::ParseError{std::string(kForm)};
    }
    address.is_loopback = numeric.is_loopback();
    return address;
}

}  // namespace jobstrand::service

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
