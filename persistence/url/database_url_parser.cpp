#include "persistence/url/database_url_parser.hpp"

#include "persistence/url/listed.hpp"
#include "persistence/url/login_rules.hpp"
#include "persistence/url/url_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace jobstrand::persistence {
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
