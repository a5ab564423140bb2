#include "tools/service/http/wire.hpp"

#include <boost/beast/http/error.hpp>
#include <boost/beast/http/field.hpp>
#include <fmt/chrono.h>

#include <string>

namespace jobstrand::service {

namespace {

namespace http = boost::beast::http;

/// This moment as HTTP writes it: `Sun, 22 Nov 2026 10:15:30 GMT` (RFC 9110, 5.6.7).
[[nodiscard]] std::string http_date() {
    return fmt::format("{:%a, %d %b %Y %H:%M:%S} GMT", fmt::gmtime(std::time(nullptr)));
}

}  // namespace

WireResponse on_the_wire(Response response, bool keep_alive, bool is_head) {
    WireResponse wire;
    wire.version(11);
    wire.result(static_cast<unsigned>(response.status));
    wire.reason(std::string(words_of(response.status)));
    wire.set(http::field::date, http_date());
    wire.set(http::field::cache_control, "no-store");
    wire.set("X-Content-Type-Options", "nosniff");
    for (const Header& header : response.headers) {
        wire.set(header.name, header.value);
    }
    if (response.status != 204) {
        wire.set(http::field::content_type, response.content_type);
        wire.body() = std::move(response.body);
    }
    // A stream is as long as it lasts: its end is that of the connection.
    if (response.status != 204 && !response.stream) {
        wire.prepare_payload();
    }
    if (is_head) {
        wire.body().clear();  // Its length was said.
    }
    wire.keep_alive(keep_alive);
    return wire;
}

bool is_about_bytes(const boost::beast::error_code& error) {
    const auto& of_http = boost::beast::error_code(http::error::bad_method).category();
    return error.category() == of_http && error != http::error::end_of_stream &&
           error != http::error::partial_message;
}

Response response_to_unreadable(const boost::beast::error_code& error) {
    if (error == http::error::header_limit || error == http::error::buffer_overflow) {
        return problem(431, "the request line and its headers are too long");
    }
    if (error == http::error::body_limit) {
        return problem(413, "the body is too long: send it in parts");
    }
    return problem(400, "this is no HTTP request: " + error.message());
}

}  // namespace jobstrand::service
