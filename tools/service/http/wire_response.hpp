#pragma once

#include "tools/service/http/message.hpp"

#include <boost/beast/core/error.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>

namespace jobstrand::service {

using WireResponse = boost::beast::http::response<boost::beast::http::string_body>;

/// A response as it goes out, with what all of them have: its date, and that nobody on the way
/// keeps it or takes it for anything else. `is_head`: it answers HEAD, so its body stays here.
[[nodiscard]] WireResponse on_the_wire(Response response, bool keep_alive, bool is_head);

/// What is said about bytes that cannot be read as a request.
[[nodiscard]] Response response_to_unreadable(const boost::beast::error_code& error);

/// Whether an error is about bytes, and not about their connection.
[[nodiscard]] bool is_about_bytes(const boost::beast::error_code& error);

}  // namespace jobstrand::service
