#include "tools/service/http/flowable_error.hpp"

#include "tools/service/http/problem.hpp"

#include <nlohmann/json.hpp>

#include <string_view>
#include <utility>

namespace jobstrand::service {

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
