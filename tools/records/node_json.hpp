#pragma once

#include "persistence/node_store.hpp"
#include "tools/output/fields.hpp"

namespace jobstrand::cli {

/// A node, as `node ls` writes it.
[[nodiscard]] const Fields<persistence::Node>& node_fields();

}  // namespace jobstrand::cli
