#pragma once

#include <string>
#include <string_view>

namespace jobstrand::service {

/// What OpenAPI 3.1 says of the paths that are not in the table of operations: open_api.json.
extern const std::string_view kOpenApi;

/// The OpenAPI 3.1 description of all paths: what open_api.json says, and the table of operations.
[[nodiscard]] std::string described_api();

/// The same in the words of OpenAPI 3.0, for tools that know no newer one.
[[nodiscard]] std::string described_api_3_0();

}  // namespace jobstrand::service
