#pragma once

#include "tools/service/http/gate.hpp"
#include "tools/service/http/router.hpp"

#include <string>
#include <vector>

namespace jobstrand::service {

/// `/api/v1/session`: how a browser signs in and out, and who it is. The gate outlives them.
[[nodiscard]] std::vector<Route> session_routes(Gate& gate, const std::string& engine_name);

}  // namespace jobstrand::service
