#pragma once

#include <string>

namespace jobstrand::service {

/// The OpenAPI 3.1 description of all paths: what open_api.json says, and the table of operations.
[[nodiscard]] std::string described_api();

/// The same in the words of OpenAPI 3.0, for tools that know no newer one.
[[nodiscard]] std::string described_api_3_0();

}  // namespace jobstrand::service
