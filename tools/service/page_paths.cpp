#include "tools/access/token_file.hpp"
#include "tools/output/record.hpp"
#include "tools/service/http/gates.hpp"
#include "tools/service/http/message.hpp"
#include "tools/service/page_files.hpp"
#include "tools/service/routes.hpp"
#include "tools/text/json_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::service {

namespace {

constexpr std::string_view kFirst = "index.html";

/// Scripts and styles are files of this service, and nothing may show the page in a frame: what a
/// producer has put into a job is text, whatever it looks like.
constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// What a browser shows again to learn whether its copy is the newest.
[[nodiscard]] std::string tag_of(const PageFile& file) {
    return '"' + hex_of(hash_of(file.bytes)).substr(0, 20) + '"';
}

[[nodiscard]] const std::string& known_tag_of(const PageFile& file) {
    static const std::map<std::string_view, std::string> tags = [] {
        std::map<std::string_view, std::string> all;
        for (const PageFile& each : page_files()) {
            all.emplace(each.name, tag_of(each));
        }
        return all;
    }();
    return tags.at(file.name);
}

[[nodiscard]] bool takes_gzip(const Request& request) {
    const std::string_view accepted = request.header("Accept-Encoding");
    return accepted.find("gzip") != std::string_view::npos &&
           accepted.find("gzip;q=0") == std::string_view::npos;
}

[[nodiscard]] Response file_response(const Request& request, const PageFile& file) {
    Response response{
        .content_type = std::string(file.media_type),
        .headers = {
            {"Content-Security-Policy", std::string(kPolicy)},
            {"X-Frame-Options", "DENY"},
            {"Referrer-Policy", "no-referrer"},
            {"Cross-Origin-Opener-Policy", "same-origin"},
            {"Cross-Origin-Resource-Policy", "same-origin"},
            {"Cache-Control", "no-cache"},
            {"ETag", known_tag_of(file)},
            {"Vary", "Accept-Encoding"},
        }};
    if (request.header("If-None-Match").find(known_tag_of(file)) != std::string_view::npos) {
        response.status = 304;
    } else if (takes_gzip(request)) {
        response.body = file.gzipped;
        response.headers.push_back({"Content-Encoding", "gzip"});
    } else {
        response.body = file.bytes;
    }
    return response;
}

[[nodiscard]] Response page_file(const Request& request, std::string_view name) {
    const auto files = page_files();
    if (files.empty()) {
        return problem(
            404, "this program was built without the page; /api/v1/openapi.json lists all paths"
        );
    }
    const auto file = std::ranges::find(files, name, &PageFile::name);
    if (file == files.end()) {
        return problem(404, "the page has no such file; it is at /");
    }
    return file_response(request, *file);
}

}  // namespace

std::vector<Route> page_routes() {
    return honouring_scope({
        {"GET",
         "/",
         Role::anybody,
         [](const Request& request, const Answer& answer) { answer(page_file(request, kFirst)); }},
        {"GET",
         "/page/{file}",
         Role::anybody,
         [](const Request& request, const Answer& answer) {
             answer(page_file(request, request.parameters.front()));
         }},
    });
}

namespace {

[[nodiscard]] Response told(const Visitor& visitor, const ApiParts& api) {
    std::vector<std::string> engines;
    for (const EngineAddress& engine : api.engines) {
        engines.push_back(json_of(cli::Record{
            cli::text_field("name", engine.name), cli::number_field("port", engine.port)}));
    }
    const cli::Record record{
        cli::text_field("caller", visitor.name),
        cli::text_field("role", name_of(visitor.role)),
        cli::text_field("engine", api.engine_name),
        cli::text_field("version", JOBSTRAND_VERSION),
        cli::flag_field("isByCookie", visitor.has_signed_in),
        cli::flag_field("isNarrow", visitor.scope.is_narrow()),
        {.name = "engines", .json = fmt::format("[{}]", fmt::join(engines, ",")), .text = {}},
    };
    return {.body = json_of(record) + '\n'};
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
             answer(
                 is_from_another_page(request)
                     ? problem(403, "other web pages may not call this service")
                     : Response{.status = 204, .headers = {no_session_cookie()}}
             );
         }},
    });
}

}  // namespace jobstrand::service
