#include "persistence/drivers/url_rules.hpp"

#include "persistence/drivers/database_url.hpp"
#include "schema/text/time_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace jobstrand::persistence {

std::string listed(std::vector<std::string> names, std::string_view joint) {
    const std::string last = names.back();
    names.pop_back();
    return names.empty() ? last : fmt::format("{} {} {}", fmt::join(names, ", "), joint, last);
}

namespace {

std::string options_of(const UrlRules& rules) {
    std::vector<std::string> keys;
    for (const UrlOption& option : rules.options) {
        keys.emplace_back(option.key);
    }
    return keys.empty()
               ? fmt::format("{} URLs have no options", rules.scheme)
               : fmt::format("the options of {} are {}", rules.scheme, listed(keys, "and"));
}

std::optional<std::string> duration_error(std::string_view key, std::string_view value) {
    const auto duration = schema::parse_duration(value);
    if (!duration) {
        return fmt::format("{}: {}", key, duration.error().message);
    }
    if (duration.value().count() > std::numeric_limits<std::int32_t>::max()) {
        return fmt::format("{} is longer than 24 days", key);
    }
    return std::nullopt;
}

std::optional<std::string> value_error(const UrlOption& option, std::string_view value) {
    switch (option.form) {
        case UrlOption::Form::duration:
            return duration_error(option.key, value);
        case UrlOption::Form::word:
            if (std::ranges::find(option.words, value) == option.words.end()) {
                return fmt::format(
                    "{} must be {}",
                    option.key,
                    listed({option.words.begin(), option.words.end()}, "or")
                );
            }
            return std::nullopt;
        case UrlOption::Form::text:
            return value.empty() ? std::optional(fmt::format("{} is empty", option.key))
                                 : std::nullopt;
    }
    return std::nullopt;
}

}  // namespace

const UrlOption* find_url_option(const UrlRules& rules, std::string_view key) {
    const auto found = std::ranges::find_if(rules.options, [key](const UrlOption& option) {
        return option.key == key || (!option.also.empty() && option.also == key);
    });
    return found == rules.options.end() ? nullptr : &*found;
}

std::optional<std::string>
url_option_error(const UrlRules& rules, std::string_view key, std::string_view value) {
    const UrlOption* const option = find_url_option(rules, key);
    return option == nullptr ? options_of(rules) : value_error(*option, value);
}

namespace {

bool is_tls_wanted(const DatabaseUrl& url) {
    return option_text(url, kSslOption, {}) == "require" || server_is_verified(url);
}

std::optional<std::string> password_error(const DatabaseUrl& url) {
    std::vector<std::string> places;
    if (!url.password.empty()) {
        places.emplace_back("the URL itself");
    }
    for (const std::string_view option : {kPasswordFileOption, kPasswordCommandOption}) {
        if (url.options.contains(option)) {
            places.emplace_back(option);
        }
    }
    if (places.size() > 1) {
        return fmt::format("one password is enough, and it comes from {}", listed(places, "and"));
    }
    // A program that is looked for on a PATH is another one on another day.
    const std::string_view command = option_text(url, kPasswordCommandOption, "/");
    if (!command.starts_with('/')) {
        return fmt::format("{} begins with the absolute path of a program", kPasswordCommandOption);
    }
    return std::nullopt;
}

std::optional<std::string> socket_error(const DatabaseUrl& url) {
    const std::string_view socket = option_text(url, kSocketOption, {});
    if (socket.empty()) {
        return std::nullopt;
    }
    if (!socket.starts_with('/')) {
        return fmt::format("{} must be an absolute path", kSocketOption);
    }
    if (!url.host.empty() && url.host != "localhost") {
        return fmt::format("a host and {} exclude each other", kSocketOption);
    }
    if (is_tls_wanted(url)) {
        return "a socket of this machine has no TLS and needs none: leave ssl out";
    }
    return std::nullopt;
}

std::optional<std::string> certificate_error(const DatabaseUrl& url) {
    const bool has_certificate = url.options.contains(kSslCertOption);
    if (has_certificate != url.options.contains(kSslKeyOption)) {
        return fmt::format("{} and {} belong together", kSslCertOption, kSslKeyOption);
    }
    if (has_certificate && !is_tls_wanted(url)) {
        return fmt::format(
            "{} is shown inside TLS: add ssl=verify, or ssl=require", kSslCertOption
        );
    }
    if (option_text(url, kSslOption, {}) == "verify-ca" && !url.options.contains(kSslCaOption)) {
        return fmt::format(
            "ssl=verify-ca needs {}, the file with the server's certificate or its CA", kSslCaOption
        );
    }
    return std::nullopt;
}

/// Inside TLS the password is sent as it is.
std::optional<std::string> public_key_error(const DatabaseUrl& url) {
    if (url.options.contains(kServerPublicKeyOption) && is_tls_wanted(url)) {
        return fmt::format(
            "{} is for connections without TLS: leave it out, and use ssl=verify or ssl=verify-ca",
            kServerPublicKeyOption
        );
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::string> login_error(const DatabaseUrl& url) {
    for (const auto error_in :
         {password_error, socket_error, certificate_error, public_key_error}) {
        if (auto error = error_in(url)) {
            return error;
        }
    }
    return std::nullopt;
}

namespace {

using schema::ParseError;
using schema::ParseResult;

constexpr int kLargestPort = 65535;

/// A part of the URL, and where it stands in it.
struct Piece {
    std::string_view text;
    std::size_t position = 0;

    [[nodiscard]] Piece sub(std::size_t from, std::size_t count = std::string_view::npos) const {
        return {text.substr(from, count), position + from};
    }
};

/// What stands before and behind a separator.
struct Halves {
    Piece before;
    std::optional<Piece> behind;  ///< nullopt: there is no separator.
};

Halves split_at(Piece piece, std::size_t separator) {
    if (separator == std::string_view::npos) {
        return {piece, std::nullopt};
    }
    return {piece.sub(0, separator), piece.sub(separator + 1)};
}

Halves split(Piece piece, char separator) {
    return split_at(piece, piece.text.find(separator));
}

/// Reads a URL from left to right and keeps the first thing that is wrong.
class UrlParser final {
public:
    explicit UrlParser(std::span<const UrlRules> known) : known_(known) {}

    ParseResult<DatabaseUrl> parse(std::string_view text);

private:
    void parse_scheme(Piece scheme);
    void parse_path(Piece path);
    void parse_server(Piece rest);
    void parse_user(Piece user);
    void parse_hosts(Piece hosts);
    [[nodiscard]] ServerPlace place_of(Piece host);
    [[nodiscard]] int port_of(Piece port);
    void parse_options(Piece options);
    void parse_option(Piece option);
    void check_login(Piece options);
    std::string decoded(Piece piece);
    void fail(std::string message, std::size_t position);

    const std::span<const UrlRules> known_;
    UrlRules rules_;  ///< Those of the scheme.
    DatabaseUrl url_;
    std::optional<ParseError> error_;
};

ParseResult<DatabaseUrl> UrlParser::parse(std::string_view text) {
    // Behind it a file's name would end for the system, and not for a reader.
    if (const std::size_t end = text.find('\0'); end != std::string_view::npos) {
        fail("a URL has no NUL character", end);
    }
    const Halves scheme = split({text, 0}, ':');
    parse_scheme(scheme.before);
    const Halves parts = split(scheme.behind.value_or(Piece{{}, text.size()}), '?');
    // The options first: with a socket there is no host.
    if (parts.behind) {
        parse_options(*parts.behind);
    }
    if (rules_.has_server()) {
        parse_server(parts.before);
        check_login(parts.behind.value_or(parts.before));
    } else {
        parse_path(parts.before);
    }
    if (error_) {
        return *error_;
    }
    return url_;
}

void UrlParser::parse_scheme(Piece scheme) {
    const auto found = std::ranges::find_if(known_, [&scheme](const UrlRules& rules) {
        return rules.scheme == scheme.text || (!rules.also.empty() && rules.also == scheme.text);
    });
    if (found != known_.end()) {
        rules_ = *found;
        url_.scheme = rules_.scheme;
        return;
    }
    std::vector<std::string> beginnings;
    for (const UrlRules& rules : known_) {
        beginnings.push_back(fmt::format("{}:{}", rules.scheme, rules.has_server() ? "//" : ""));
    }
    fail(
        fmt::format(
            "a database URL begins with {}, for example sqlite:jobs.db", listed(beginnings, "or")
        ),
        scheme.position
    );
}

void UrlParser::parse_path(Piece path) {
    if (path.text.starts_with("//") && !path.text.starts_with("///")) {
        fail(
            fmt::format("write {0}:PATH without //, for example {0}:jobs.db", url_.scheme),
            path.position
        );
    }
    url_.path = decoded(path.text.starts_with("///") ? path.sub(2) : path);
    if (url_.path.empty()) {
        fail("the path of the database file is missing", path.position);
    } else if (url_.path == ":memory:") {
        fail("jobs in memory would be lost: name a file", path.position);
    }
}

void UrlParser::parse_server(Piece rest) {
    if (!rest.text.starts_with("//")) {
        fail("expected // behind the scheme", rest.position);
        return;
    }
    const Halves parts = split(rest.sub(2), '/');
    const Piece place = parts.before;
    // The last one: an @ in a password is easily left unescaped.
    const std::size_t at = place.text.rfind('@');
    if (at != std::string_view::npos) {
        parse_user(place.sub(0, at));
    }
    parse_hosts(at == std::string_view::npos ? place : place.sub(at + 1));
    url_.database = decoded(parts.behind.value_or(Piece{}));
    if (url_.database.empty()) {
        fail("the name of the database is missing behind the host", rest.position);
    }
}

void UrlParser::parse_user(Piece user) {
    const Halves parts = split(user, ':');
    url_.user = decoded(parts.before);
    url_.password = decoded(parts.behind.value_or(Piece{}));
}

void UrlParser::parse_hosts(Piece hosts) {
    const Halves parts = split(hosts, ',');
    const ServerPlace first = place_of(parts.before);
    url_.host = first.host;
    url_.port = first.port;
    for (std::optional<Piece> rest = parts.behind; rest && !error_;) {
        const Halves further = split(*rest, ',');
        url_.further_hosts.push_back(place_of(further.before));
        rest = further.behind;
    }
}

/// `host`, `host:port` or `[address]:port`.
ServerPlace UrlParser::place_of(Piece host) {
    Halves parts = split_at(host, host.text.rfind(':'));
    if (host.text.starts_with('[')) {
        const std::size_t end = host.text.find(']');
        if (end == std::string_view::npos) {
            fail("the ] behind the address is missing", host.position);
            return {};
        }
        parts = split(host.sub(end + 1), ':');
        if (!parts.before.text.empty()) {
            fail("expected a port behind the ]", parts.before.position);
        }
        parts.before = host.sub(1, end - 1);
    }
    ServerPlace place{.host = decoded(parts.before), .port = rules_.default_port};
    if (place.host.empty() && !url_.options.contains(kSocketOption)) {
        fail("the host is missing", host.position);
    }
    if (parts.behind) {
        place.port = port_of(*parts.behind);
    }
    return place;
}

int UrlParser::port_of(Piece port) {
    int number = 0;
    const char* const last = port.text.data() + port.text.size();
    const auto [end, error] = std::from_chars(port.text.data(), last, number);
    if (error != std::errc{} || end != last || number < 1 || number > kLargestPort) {
        fail("the port must be a number from 1 to 65535", port.position);
    }
    return number;
}

void UrlParser::parse_options(Piece options) {
    for (std::optional<Piece> rest = options; rest;) {
        const Halves parts = split(*rest, '&');
        parse_option(parts.before);
        rest = parts.behind;
    }
}

void UrlParser::parse_option(Piece option) {
    const Halves parts = split(option, '=');
    const std::string key = decoded(parts.before);
    const std::string value = decoded(parts.behind.value_or(Piece{}));
    if (const auto wrong = url_option_error(rules_, key, value)) {
        fail(*wrong, option.position);
        return;
    }
    if (!url_.options.emplace(find_url_option(rules_, key)->key, value).second) {
        fail("this option is given twice", option.position);
    }
}

void UrlParser::check_login(Piece options) {
    if (const auto wrong = login_error(url_); wrong && !error_) {
        fail(*wrong, options.position);
    }
}

std::string UrlParser::decoded(Piece piece) {
    std::string text;
    for (std::size_t i = 0; i < piece.text.size(); ++i) {
        if (piece.text[i] != '%') {
            text += piece.text[i];
            continue;
        }
        const std::string_view digits = piece.text.substr(i + 1, 2);
        unsigned char byte = 0;
        const auto [end, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
        if (digits.size() != 2 || error != std::errc{} || end != digits.data() + 2 || byte == 0) {
            fail("expected two hexadecimal digits, not 00, behind %", piece.position + i);
            return text;
        }
        text += static_cast<char>(byte);
        i += 2;
    }
    return text;
}

void UrlParser::fail(std::string message, std::size_t position) {
    if (!error_) {
        error_ = ParseError{std::move(message), position};
    }
}

}  // namespace

ParseResult<DatabaseUrl> parse_url(std::string_view text, std::span<const UrlRules> known) {
    return UrlParser(known).parse(text);
}

}  // namespace jobstrand::persistence
