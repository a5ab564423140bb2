#pragma once

#include "tools/access/scope.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// What goes over the wire, without the library that carries it.
namespace jobstrand::service {

class ResponseStream;

struct Header {
    std::string name;
    std::string value;
};

struct Request {
    std::string method;  ///< As it was sent: `GET`.
    std::string target;  ///< Path and query as they were sent.
    std::vector<Header> headers = {};
    std::string body = {};

    /// What stood in the places of the route's pattern, decoded, in their order.
    std::vector<std::string> parameters = {};

    std::string caller = {};  ///< Who asks: the name of a token, or `local`.
    Scope scope = {};         ///< To what its token is restricted.

    /// The first of this name, whatever its case; empty: there is none.
    [[nodiscard]] std::string_view header(std::string_view name) const;
    [[nodiscard]] std::size_t count_headers(std::string_view name) const;

    [[nodiscard]] std::string_view path() const;
    /// Behind the question mark; empty: there is none.
    [[nodiscard]] std::string_view query() const;
};

struct Response {
    int status = 200;
    std::string content_type = "application/json";
    std::string body = {};
    std::vector<Header> headers = {};

    /// Goes on where `body` ends, until the client or whoever writes it has enough; then the
    /// connection is closed. nullptr: `body` is all.
    std::shared_ptr<ResponseStream> stream = {};

    /// Not sent: how many things were changed, for the audit; nullopt: one, if it is a 2xx.
    std::optional<std::int64_t> changed = {};

    /// Not sent: called when the client has hung up before all of it was, from the thread that
    /// serves sockets; it must neither block nor throw. Empty: nobody asks.
    std::function<void()> undelivered = {};
};

/// Whether two names of headers, or other tokens, are the same: ASCII letters of either case are.
[[nodiscard]] bool is_same_token(std::string_view a, std::string_view b);

}  // namespace jobstrand::service
