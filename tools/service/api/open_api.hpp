#pragma once

#include <string_view>

namespace jobstrand::service {

/// The OpenAPI 3.1 description of all paths: the text of open_api.json.
extern const std::string_view kOpenApi;

}  // namespace jobstrand::service
