#include "tools/text/listen_address.hpp"

#include <boost/asio/ip/address.hpp>

#include <charconv>

namespace jobstrand::service {

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
