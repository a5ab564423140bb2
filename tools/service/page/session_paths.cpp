#include "tools/service/page/session_paths.hpp"

#include "tools/service/gates/browser.hpp"
#include "tools/service/http/problem.hpp"
#include "tools/text/json_text.hpp"
#include "tools/text/member_values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

namespace jobstrand::service {

namespace {

/// `[{"name":"main","port":8080}]`
[[nodiscard]] std::string list_of(const std::vector<EngineAddress>& engines) {
    std::vector<std::string> items;
    for (const EngineAddress& engine : engines) {
        items.push_back(
            fmt::format(R"({{"name":{},"port":{}}})", cli::json_string(engine.name), engine.port)
        );
    }
    return fmt::format("[{}]", fmt::join(items, ","));
}

[[nodiscard]] Response told(const Visitor& visitor, const ApiParts& api) {
    return {
        .body = fmt::format(
            R"({{"caller":{},"role":"{}","engine":{},"version":"{}","isByCookie":{},"isNarrow":{},"engines":{}}})"
            "\n",
            cli::json_string(visitor.name),
            name_of(visitor.role),
            cli::json_string(api.engine_name),
            JOBSTRAND_VERSION,
            visitor.has_signed_in,
            visitor.scope.is_narrow(),
            list_of(api.engines)
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

[[nodiscard]] Response sign_in(Gate& gate, const Request& request, const ApiParts& api) {
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
    Response response = told(visitor, api);
    response.headers.push_back(session_cookie(request, token));
    return response;
}

}  // namespace

// They ask the gate on the thread that it belongs to.
std::vector<Route> session_routes(Gate& gate, const ApiParts& api) {
    return honouring_scope({
        {"GET",
         "/api/v1/session",
         Role::read,
         [&gate, &api](const Request& request, const Answer& answer) {
             answer(told(gate.visitor(request), api));
         }},
        {"POST",
         "/api/v1/session",
         Role::anybody,
         [&gate, &api](const Request& request, const Answer& answer) {
             answer(sign_in(gate, request, api));
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
