#include "tools/service/http/router.hpp"

#include "tools/text/http_address.hpp"

#include <nlohmann/json.hpp>

#include <optional>
#include <utility>

namespace jobstrand::service {

namespace {

[[nodiscard]] std::vector<std::string_view> segments_of(std::string_view path) {
    std::vector<std::string_view> segments;
    if (path == "/") {
        return segments;
    }
    while (!path.empty()) {
        path.remove_prefix(1);  // The slash.
        const std::string_view segment = path.substr(0, path.find('/'));
        segments.push_back(segment);
        path.remove_prefix(segment.size());
    }
    return segments;
}

[[nodiscard]] bool is_place(std::string_view segment) {
    return segment.starts_with('{');
}

/// The decoded values of the places; nullopt: the path is another.
[[nodiscard]] std::optional<std::vector<std::string>>
match(std::string_view pattern, const std::vector<std::string>& path) {
    const std::vector<std::string_view> wanted = segments_of(pattern);
    if (wanted.size() != path.size()) {
        return std::nullopt;
    }
    std::vector<std::string> parameters;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (is_place(wanted[i])) {
            parameters.push_back(path[i]);
        } else if (wanted[i] != path[i]) {
            return std::nullopt;
        }
    }
    return parameters;
}

/// nullopt: the path cannot be meant so.
[[nodiscard]] std::optional<std::vector<std::string>> decoded_segments(std::string_view path) {
    if (!path.starts_with('/')) {
        return std::nullopt;
    }
    std::vector<std::string> decoded;
    for (const std::string_view segment : segments_of(path)) {
        auto text = percent_decoded(segment);
        if (!text || text->empty() || *text == "." || *text == "..") {
            return std::nullopt;
        }
        decoded.push_back(std::move(*text));
    }
    return decoded;
}

}  // namespace

std::vector<Route> honouring_scope(std::vector<Route> routes) {
    for (Route& route : routes) {
        route.honours_scope = true;
    }
    return routes;
}

std::variant<RouteMatch, Response> Router::find(std::string_view method, std::string_view path)
    const {
    const auto segments = decoded_segments(path);
    if (!segments) {
        return problem(400, "the path has an empty segment, a dot segment, or a bad escape");
    }
    const std::string_view wanted = method == "HEAD" ? "GET" : method;
    std::string allowed;
    for (const Route& route : routes_) {
        auto parameters = match(route.pattern, *segments);
        if (parameters && route.method == wanted) {
            return RouteMatch{.route = &route, .parameters = std::move(*parameters)};
        }
        if (parameters) {
            allowed += (allowed.empty() ? "" : ", ") + route.method;
        }
    }
    if (allowed.empty()) {
        return problem(404, "there is no such path; /api/v1/openapi.json lists all");
    }
    Response refusal = problem(405, "this path takes " + allowed);
    refusal.headers.push_back({"Allow", allowed});
    return refusal;
}

namespace {

/// Of the errors that Flowable has words of its own for.
[[nodiscard]] std::string_view flowable_words_of(int status) {
    switch (status) {
        case 400:
            return "Bad request";
        case 404:
            return "Not found";
        case 500:
            return "Internal server error";
        default:
            return words_of(status);
    }
}

void add_flowable_members(Response& response) {
    if (response.content_type != kProblemContent) {
        return;
    }
    auto document = nlohmann::ordered_json::parse(response.body);
    document["message"] = flowable_words_of(response.status);
    document["exception"] = document["detail"];
    response.body = document.dump() + '\n';
}

}  // namespace

std::vector<Route> with_flowable_errors(std::vector<Route> routes) {
    for (Route& route : routes) {
        route.handle = [handle = std::move(route.handle)](Request request, const Answer& answer) {
            handle(std::move(request), [answer](Response response) {
                add_flowable_members(response);
                answer(std::move(response));
            });
        };
    }
    return routes;
}

}  // namespace jobstrand::service
