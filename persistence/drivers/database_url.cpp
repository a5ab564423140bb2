#include "persistence/drivers/database_url.hpp"

#include "persistence/drivers/driver.hpp"
#include "persistence/drivers/url_rules.hpp"
#include "schema/text/time_text.hpp"

#include <vector>

namespace jobstrand::persistence {
namespace {

/// Escapes control characters and what would end this part of a URL.
std::string escaped(std::string_view text, std::string_view reserved) {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    std::string url;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte > 0x20 && byte != 0x7f && reserved.find(c) == std::string_view::npos) {
            url += c;
        } else {
            url += {'%', kDigits[byte >> 4U], kDigits[byte & 0xfU]};
        }
    }
    return url;
}

std::string place_text(const std::string& host, int port) {
    const bool is_address = host.find(':') != std::string::npos;
    return (is_address ? '[' + host + ']' : escaped(host, "%:@/?,")) + ':' + std::to_string(port);
}

std::string server_part(const DatabaseUrl& url) {
    std::string text = "//";
    if (!url.user.empty()) {
        text += escaped(url.user, "%:@/?");
        text += url.password.empty() ? "@" : ":***@";
    }
    text += place_text(url.host, url.port);
    for (const auto& [host, port] : url.further_hosts) {
        text += ',' + place_text(host, port);
    }
    return text + '/' + escaped(url.database, "%?");
}

}  // namespace

std::string without_arguments(const std::string& command) {
    const std::size_t end = command.find(' ');
    return end == std::string::npos ? command : command.substr(0, end) + " ***";
}

std::string without_password(const DatabaseUrl& url) {
    std::string text = url.scheme + ':';
    text += url.path.empty() ? server_part(url) : escaped(url.path, "%?");
    char separator = '?';
    for (const auto& [key, value] : url.options) {
        const std::string shown = key == kPasswordCommandOption ? without_arguments(value) : value;
        text += separator + escaped(key, "%&=") + '=' + escaped(shown, "%&=");
        separator = '&';
    }
    return text;
}

std::string with_option(std::string url, std::string_view key, std::string_view value) {
    url += url.find('?') == std::string::npos ? '?' : '&';
    url += key;
    url += '=';
    return url + escaped(value, "%&=");
}

std::string_view
option_text(const DatabaseUrl& url, std::string_view key, std::string_view otherwise) {
    const auto found = url.options.find(key);
    return found == url.options.end() ? otherwise : std::string_view(found->second);
}

bool server_is_verified(const DatabaseUrl& url) {
    const std::string_view ssl = option_text(url, kSslOption, {});
    return ssl == "verify" || ssl == "verify-ca";
}

schema::Duration
option_duration(const DatabaseUrl& url, std::string_view key, schema::Duration otherwise) {
    const auto found = url.options.find(key);
    return found == url.options.end() ? otherwise : schema::parse_duration(found->second).value();
}

schema::ParseResult<DatabaseUrl> parse_database_url(std::string_view text) {
    std::vector<UrlRules> known;
    for (const Driver* const driver : drivers()) {
        known.push_back(driver->url);
    }
    return parse_url(text, known);
}

DatabaseUrl required_database_url(std::string_view text) {
    const auto url = parse_database_url(text);
    if (!url) {
        throw std::invalid_argument(url.error().message);
    }
    return url.value();
}

}  // namespace jobstrand::persistence
