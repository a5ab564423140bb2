#include "tools/service/http/admission.hpp"

#include "tools/service/http/problem.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace jobstrand::service {

namespace {

/// `application/json` of `application/json; charset=utf-8`.
[[nodiscard]] std::string_view media_type_of(const Request& request) {
    const std::string_view type = request.header("Content-Type");
    return type.substr(0, type.find_first_of("; \t"));
}

[[nodiscard]] bool takes(const Route& route, std::string_view media_type) {
    return std::ranges::any_of(route.takes, [media_type](std::string_view taken) {
        return is_same_token(taken, media_type);
    });
}

/// Where nobody has thought of scopes, a token that has one could see too much.
[[nodiscard]] std::optional<Response> refuse_scope(const RouteMatch& match) {
    if (!match.scope.is_narrow() || match.route->honours_scope || match.role() == Role::anybody) {
        return std::nullopt;
    }
    return problem(403, "this cannot be narrowed to the topics or tenants of the token");
}

}  // namespace

Admission Admissions::decide(const RequestHead& head, const AnnouncedBody& body) const {
    Admission admission;
    admission.refusal = refusal_of(head);
    admission.must_close = admission.refusal.has_value();
    if (admission.refusal) {
        return admission;
    }
    auto found = router_.find(head.request.method, head.request.path());
    if (auto* const refusal = std::get_if<Response>(&found)) {
        // Who may not even read is not told what there is.
        auto unknown = gate_.refusal(head.request, Role::read);
        admission.refusal = unknown ? std::move(*unknown) : std::move(*refusal);
        return admission;
    }
    admission.match = std::move(std::get<RouteMatch>(found));
    admission.refusal = gate_.refusal(head.request, admission.match.role());
    if (!admission.refusal) {
        Visitor visitor = gate_.visitor(head.request);
        admission.match.caller = std::move(visitor.name);
        admission.match.scope = std::move(visitor.scope);
        admission.refusal = refuse_scope(admission.match);
    }
    if (!admission.refusal) {
        admission.refusal = refuse_body(head.request, body, admission);
    }
    return admission;
}

std::optional<Response> Admissions::refuse_body(
    const Request& request,
    const AnnouncedBody& body,
    Admission& admission
) const {
    const Route& route = *admission.match.route;
    if (!body.is_there || body.length == std::uint64_t{0}) {
        return std::nullopt;
    }
    if (route.takes.empty()) {
        return problem(413, "this path takes no body");
    }
    if (body.length && *body.length > limits_.body_bytes) {
        return problem(413, "the body is too long: send it in parts");
    }
    if (!takes(route, media_type_of(request))) {
        return problem(415, "Content-Type must be " + std::string(route.takes.front()));
    }
    admission.body_share =
        bodies_.take(body.length ? static_cast<std::size_t>(*body.length) : limits_.body_bytes);
    if (!admission.body_share) {
        return come_again("too many large requests at once");
    }
    return std::nullopt;
}

}  // namespace jobstrand::service
