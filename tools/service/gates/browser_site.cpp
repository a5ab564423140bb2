#include "tools/service/gates/browser_site.hpp"

#include <string_view>

namespace jobstrand::service {

namespace {

/// `localhost:8080` of `http://localhost:8080`.
[[nodiscard]] std::string_view authority_of(std::string_view origin) {
    constexpr std::string_view mark = "://";
    const std::size_t at = origin.find(mark);
    return at == std::string_view::npos ? std::string_view() : origin.substr(at + mark.size());
}

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

}  // namespace jobstrand::service
