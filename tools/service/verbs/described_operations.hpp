#pragma once

#include <string>

namespace jobstrand::service {

/// The OpenAPI 3.1 description of all paths: what open_api.json says, and the table of operations.
[[nodiscard]] std::string described_api();

}  // namespace jobstrand::service
