#include "tools/service/page/page_paths.hpp"

#include "tools/access/token.hpp"
#include "tools/service/http/problem.hpp"
#include "tools/service/page/page_files.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

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

}  // namespace jobstrand::service
