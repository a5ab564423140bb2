#include "tools/handlers/flowable/engine_call.hpp"

#include "tools/text/percent.hpp"

#include <boost/beast/http/verb.hpp>
#include <fmt/format.h>
#include <openssl/evp.h>

#include <vector>

namespace jobstrand::cli {

namespace {

namespace http = boost::beast::http;

[[nodiscard]] std::string base64(std::string_view text) {
    std::vector<unsigned char> out(4 * ((text.size() + 2) / 3) + 1);
    const int length = EVP_EncodeBlock(
        out.data(),
        reinterpret_cast<const unsigned char*>(text.data()),
        static_cast<int>(text.size())
    );
    return {out.begin(), out.begin() + length};
}

[[nodiscard]] std::string path_under(const HttpUrl& base, std::string_view path) {
    std::string_view begin = base.target;
    while (begin.ends_with('/')) {
        begin.remove_suffix(1);
    }
    return fmt::format("{}/{}", begin, path);
}

[[nodiscard]] CallRequest request_to(
    const HttpUrl& base,
    const std::string& authorization,
    http::verb verb,
    const std::string& path
) {
    CallRequest request(verb, path_under(base, path), 11);
    request.set(http::field::host, base.authority);
    request.set(http::field::user_agent, "jobstrand/" JOBSTRAND_VERSION);
    request.set(http::field::accept, "application/json");
    if (!authorization.empty()) {
        request.set(http::field::authorization, authorization);
    }
    return request;
}

}  // namespace

std::string basic_authorization(std::string_view user, std::string_view password) {
    return user.empty() ? "" : "Basic " + base64(fmt::format("{}:{}", user, password));
}

CallRequest
execute_request(const HttpUrl& base, const std::string& authorization, std::string_view job) {
    CallRequest request = request_to(
        base,
        authorization,
        http::verb::post,
        fmt::format("management/jobs/{}", service::percent_encoded(job))
    );
    request.set(http::field::content_type, "application/json");
    request.body() = R"({"action":"execute"})";
    request.prepare_payload();
    return request;
}

CallRequest look_request(const HttpUrl& base, const std::string& authorization) {
    return request_to(base, authorization, http::verb::get, "management/engine");
}

bool is_done(const CallAnswer& answer) {
    return answer.kind == CallAnswer::Kind::answered && answer.status >= 200 && answer.status < 300;
}

std::string trouble_in(const CallAnswer& answer) {
    switch (answer.kind) {
        case CallAnswer::Kind::failed:
        case CallAnswer::Kind::not_begun:
            return answer.error;
        case CallAnswer::Kind::timed_out:
            return "it gave no answer in time";
        case CallAnswer::Kind::stopped:
            return {};
        case CallAnswer::Kind::answered:
            break;
    }
    const bool is_about_engine = answer.status == 401 || answer.status == 403 ||
                                 answer.status == 502 || answer.status == 503 ||
                                 answer.status == 504;
    return is_about_engine ? fmt::format("it answered {} {}", answer.status, answer.reason) : "";
}

}  // namespace jobstrand::cli
