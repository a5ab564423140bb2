#pragma once

#include "tools/service/http/message.hpp"

namespace jobstrand::service {

/// Whether a browser sends this request for another page than one of this service. Browsers say so
/// in Sec-Fetch-Site with each request, with a simple GET too, but only to https and to this
/// machine; else Origin, which all but simple GETs have, must be the address that is asked. Who is
/// no browser says neither.
[[nodiscard]] bool is_from_another_page(const Request& request);

}  // namespace jobstrand::service
