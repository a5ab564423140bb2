#pragma once

#include "tools/service/http/message.hpp"

#include <string>
#include <string_view>

/// The session of a browser is its token, in a cookie that no script can read: it ends with the
/// token, wherever it was revoked, and there is nothing else to keep or to steal.
namespace jobstrand::service {

/// Empty: there is no such cookie.
[[nodiscard]] std::string_view token_in_cookie(const Request& request);

/// Set-Cookie for `token`, until the browser is closed. It is sent for the API's paths below the
/// one that was asked, by pages of this site alone, and only over TLS where the page came so.
[[nodiscard]] Header session_cookie(const Request& request, std::string_view token);

/// Set-Cookie that ends it.
[[nodiscard]] Header no_session_cookie();

}  // namespace jobstrand::service
