#pragma once

#include "tools/service/api/api_parts.hpp"
#include "tools/service/http/gate.hpp"
#include "tools/service/http/router.hpp"

#include <vector>

namespace jobstrand::service {

/// `/api/v1/session`: how a browser signs in and out, and who it is. Both outlive them.
[[nodiscard]] std::vector<Route> session_routes(Gate& gate, const ApiParts& api);

}  // namespace jobstrand::service
