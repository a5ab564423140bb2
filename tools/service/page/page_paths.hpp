#pragma once

#include "tools/service/http/router.hpp"

#include <vector>

namespace jobstrand::service {

/// `/`, which is a page for browsers, and its files. Anybody may have them: they show nothing
/// before the API's paths have let their reader in.
[[nodiscard]] std::vector<Route> page_routes();

}  // namespace jobstrand::service
