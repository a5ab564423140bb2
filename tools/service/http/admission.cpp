#include "tools/service/http/admission.hpp"

#include <algorithm>
#include <utility>

namespace jobstrand::service {

namespace {

/// What RFC 9112 wants a server to refuse and the parser lets pass, because another server on the
/// way may read it otherwise (request smuggling): a Content-Length that is said twice, one or
/// a Transfer-Encoding that goes on in a further line, a transfer coding other than chunked, one in
/// HTTP/1.0, no Host or several, a target that is no path. nullopt: nothing. After a refusal the
/// connection must be closed.
[[nodiscard]] std::optional<Response> refusal_of(const RequestHead& head) {
    const Request& request = head.request;
    if (head.version != 10 && head.version != 11) {
        return problem(400, "this server speaks HTTP/1.1 and HTTP/1.0");
    }
    if (head.has_folded_length) {
        return problem(400, "Content-Length and Transfer-Encoding must stand on one line");
    }
    if (request.count_headers("Content-Length") > 1 ||
        request.header("Content-Length").find(',') != std::string_view::npos) {
        return problem(400, "Content-Length must be said once");
    }
    if (request.count_headers("Transfer-Encoding") > 0) {
        if (head.version == 10) {
            return problem(400, "HTTP/1.0 has no Transfer-Encoding");
        }
        if (!is_same_token(request.header("Transfer-Encoding"), "chunked")) {
            return problem(501, "the only transfer coding is chunked");
        }
    }
    const std::size_t hosts = request.count_headers("Host");
    if (hosts > 1 || (hosts == 0 && head.version == 11)) {
        return problem(400, "Host must be said once");
    }
    if (!request.target.starts_with('/')) {
        return problem(400, "the target must be a path, such as /api/v1/jobs");
    }
    return std::nullopt;
}

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
