#include "tools/service/http/head_check.hpp"

#include "tools/service/http/problem.hpp"

namespace jobstrand::service {

std::optional<Response> refusal_of(const RequestHead& head) {
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

}  // namespace jobstrand::service
