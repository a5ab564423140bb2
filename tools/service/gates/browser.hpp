#pragma once

#include "tools/service/http/message.hpp"

#include <string>
#include <string_view>

namespace jobstrand::service {

/// Whether a browser sends this request for another page than one of this service. Browsers say so
/// in Sec-Fetch-Site with each request, with a simple GET too, but only to https and to this
/// machine; else Origin, which all but simple GETs have, must be the address that is asked. Who is
/// no browser says neither.
[[nodiscard]] bool is_from_another_page(const Request& request);

/// The session of a browser is its token, in a cookie that no script can read: it ends with the
/// token, wherever it was revoked, and there is nothing else to keep or to steal.
///
/// Empty: there is no such cookie.
[[nodiscard]] std::string_view token_in_cookie(const Request& request);

/// Set-Cookie for `token`, until the browser is closed. It is sent for the API's paths below the
/// one that was asked, by pages of this site alone, and only over TLS where the page came so.
[[nodiscard]] Header session_cookie(const Request& request, std::string_view token);

/// Set-Cookie that ends it.
[[nodiscard]] Header no_session_cookie();

}  // namespace jobstrand::service
