#pragma once

#include "schema/text/parse_result.hpp"

#include <string>
#include <string_view>

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
