#include "tools/service/gates/browser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace jobstrand::service {

namespace {

/// `localhost:8080` of `http://localhost:8080`.
[[nodiscard]] std::string_view authority_of(std::string_view origin) {
    constexpr std::string_view mark = "://";
    const std::size_t at = origin.find(mark);
    return at == std::string_view::npos ? std::string_view() : origin.substr(at + mark.size());
}

constexpr std::string_view kName = "jobstrand-session";

// Without a Path the browser takes the folder of the path that it asked, which holds behind any
// prefix that a proxy has put before it.
constexpr std::string_view kRules = "HttpOnly; SameSite=Strict";

}  // namespace

bool is_from_another_page(const Request& request) {
    const std::string_view site = request.header("Sec-Fetch-Site");
    if (is_same_token(site, "same-origin")) {
        return false;
    }
    // `none` is what somebody has typed. Another port of this machine is the same site to browsers.
    if (!site.empty() && !is_same_token(site, "none")) {
        return true;
    }
    return request.count_headers("Origin") > 0 &&
           !is_same_token(authority_of(request.header("Origin")), request.header("Host"));
}

std::string_view token_in_cookie(const Request& request) {
    std::string_view rest = request.header("Cookie");
    while (!rest.empty()) {
        const std::string_view pair = rest.substr(0, rest.find(';'));
        rest.remove_prefix(std::min(pair.size() + 1, rest.size()));
        const std::size_t begin = pair.find_first_not_of(' ');
        const std::size_t equals = pair.find('=');
        if (begin < equals && equals != std::string_view::npos &&
            pair.substr(begin, equals - begin) == kName) {
            return pair.substr(equals + 1);
        }
    }
    return {};
}

Header session_cookie(const Request& request, std::string_view token) {
    const bool is_over_tls = request.header("Origin").starts_with("https:");
    return {
        "Set-Cookie",
        fmt::format("{}={}; {}{}", kName, token, kRules, is_over_tls ? "; Secure" : "")};
}

Header no_session_cookie() {
    return {"Set-Cookie", fmt::format("{}=; {}; Max-Age=0", kName, kRules)};
}

}  // namespace jobstrand::service
