#pragma once

#include "tools/operations/operation.hpp"

#include <vector>

namespace jobstrand::cli {

/// `definition ls`, `suspend` and `activate`, which are those of instances and tenants too.
[[nodiscard]] std::vector<Operation> definition_scope_operations();

}  // namespace jobstrand::cli
