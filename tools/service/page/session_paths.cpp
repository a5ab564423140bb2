#include "tools/service/page/session_paths.hpp"

#include "tools/service/gates/browser_site.hpp"
#include "tools/service/gates/session_cookie.hpp"
#include "tools/service/http/problem.hpp"
#include "tools/text/json_text.hpp"
#include "tools/text/member_values.hpp"

#include <fmt/format.h>

#include <string_view>

namespace jobstrand::service {

namespace {

[[nodiscard]] Response told(const Visitor& visitor, std::string_view engine) {
    return {
        .body = fmt::format(
            R"({{"caller":{},"role":"{}","engine":{},"version":"{}","isByCookie":{},"isNarrow":{}}})"
            "\n",
            cli::json_string(visitor.name),
            name_of(visitor.role),
            cli::json_string(engine),
            JOBSTRAND_VERSION,
            visitor.has_signed_in,
            visitor.scope.is_narrow()
        )};
}

/// Empty: the body has no token.
[[nodiscard]] std::string token_in_body(std::string_view body) {
    std::string token;
    const auto members = cli::members_of(body, 1);
    const bool is_there = members && members.value().size() == 1 &&
                          members.value().front().name == "token" &&
                          cli::read_text(members.value().front().value, token).empty();
    return is_there ? token : std::string();
}

[[nodiscard]] Response sign_in(Gate& gate, const Request& request, std::string_view engine) {
    if (is_from_another_page(request)) {
        return problem(403, "other web pages may not call this service");
    }
    const std::string token = token_in_body(request.body);
    if (token.empty()) {
        return problem(400, R"(the body must be {"token": "..."})");
    }
    Request asked{
        .method = "POST",
        .target = request.target,
        .headers = {
            {"Host", std::string(request.header("Host"))}, {"Authorization", "Bearer " + token}}};
    if (auto refusal = gate.refusal(asked, Role::read)) {
        return refusal->status == 401 ? problem(401, "this is no token of this service")
                                      : std::move(*refusal);
    }
    Visitor visitor = gate.visitor(asked);
    visitor.has_signed_in = true;
    Response response = told(visitor, engine);
    response.headers.push_back(session_cookie(request, token));
    return response;
}

}  // namespace

// They ask the gate on the thread that it belongs to.
std::vector<Route> session_routes(Gate& gate, const std::string& engine_name) {
    return honouring_scope({
        {"GET",
         "/api/v1/session",
         Role::read,
         [&gate, engine_name](const Request& request, const Answer& answer) {
             answer(told(gate.visitor(request), engine_name));
         }},
        {"POST",
         "/api/v1/session",
         Role::anybody,
         [&gate, engine_name](const Request& request, const Answer& answer) {
             answer(sign_in(gate, request, engine_name));
         },
         {"application/json"}},
        {"DELETE",
         "/api/v1/session",
         Role::anybody,
         [](const Request& request, const Answer& answer) {
             Response response = is_from_another_page(request)
                                     ? problem(403, "other web pages may not call this service")
                                     : Response{.status = 204};
             if (response.status == 204) {
                 response.headers.push_back(no_session_cookie());
             }
             answer(std::move(response));
         }},
    });
}

}  // namespace jobstrand::service
