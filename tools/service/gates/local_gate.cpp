#include "tools/service/gates/local_gate.hpp"

#include "tools/service/gates/browser.hpp"
#include "tools/service/http/problem.hpp"

#include <algorithm>
#include <array>

namespace jobstrand::service {

namespace {

/// `localhost:8080` without its port.
[[nodiscard]] std::string_view name_in(std::string_view host) {
    const std::size_t bracket = host.find(']');
    const std::size_t colon = host.find(':', bracket == std::string_view::npos ? 0 : bracket);
    return host.substr(0, colon);
}

[[nodiscard]] bool is_this_machine(std::string_view host) {
    constexpr std::array<std::string_view, 3> names{"localhost", "127.0.0.1", "[::1]"};
    return std::ranges::any_of(names, [&](auto name) {
        return is_same_token(name, name_in(host));
    });
}

}  // namespace

std::optional<Response> LocalGate::refusal(const Request& request, Role needed) {
    if (needed == Role::anybody) {
        return std::nullopt;
    }
    if (!is_this_machine(request.header("Host"))) {
        return problem(
            421, "Host must be localhost, 127.0.0.1 or [::1]: use tokens for other names"
        );
    }
    if (is_from_another_page(request)) {
        return problem(403, "other web pages may not call this service");
    }
    return std::nullopt;
}

}  // namespace jobstrand::service
