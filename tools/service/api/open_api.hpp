#pragma once

#include <string_view>

namespace jobstrand::service {

/// What OpenAPI 3.1 says of the paths that are not in the table of operations: open_api.json.
extern const std::string_view kOpenApi;

}  // namespace jobstrand::service
