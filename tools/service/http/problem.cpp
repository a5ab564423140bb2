#include "tools/service/http/problem.hpp"

#include <nlohmann/json.hpp>

namespace jobstrand::service {

std::string_view words_of(int status) {
    switch (status) {
        case 200:
            return "OK";
        case 201:
            return "Created";
        case 204:
            return "No Content";
        case 400:
            return "Bad Request";
        case 401:
            return "Unauthorized";
        case 403:
            return "Forbidden";
        case 404:
            return "Not Found";
        case 405:
            return "Method Not Allowed";
        case 408:
            return "Request Timeout";
        case 409:
            return "Conflict";
        case 411:
            return "Length Required";
        case 413:
            return "Content Too Large";
        case 415:
            return "Unsupported Media Type";
        case 421:
            return "Misdirected Request";
        case 422:
            return "Unprocessable Content";
        case 431:
            return "Request Header Fields Too Large";
        case 500:
            return "Internal Server Error";
        case 501:
            return "Not Implemented";
        case 503:
            return "Service Unavailable";
        default:
            return "";
    }
}

Response problem(int status, std::string_view detail, const std::vector<std::string>& errors) {
    nlohmann::ordered_json document{
        {"title", words_of(status)},
        {"status", status},
        {"detail", detail},
    };
    if (!errors.empty()) {
        document["errors"] = errors;
    }
    return {
        .status = status,
        .content_type = std::string(kProblemContent),
        .body = document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n',
    };
}

Response come_again(std::string_view detail) {
    Response response = problem(503, detail);
    response.headers.push_back({"Retry-After", "1"});
    return response;
}

Response no_memory() {
    return come_again("there is not enough memory for this now: send or ask for less at once");
}

}  // namespace jobstrand::service
