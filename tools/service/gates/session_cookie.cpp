#include "tools/service/gates/session_cookie.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace jobstrand::service {

namespace {

constexpr std::string_view kName = "jobstrand-session";

// Without a Path the browser takes the folder of the path that it asked, which holds behind any
// prefix that a proxy has put before it.
constexpr std::string_view kRules = "HttpOnly; SameSite=Strict";

}  // namespace

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
