#pragma once

#include "persistence/node_store.hpp"
#include "tools/jobstrand/output/record.hpp"

namespace jobstrand::cli {

/// A node as `node ls` writes it.
[[nodiscard]] Record record_of(const persistence::Node& node);

}  // namespace jobstrand::cli
