#pragma once

#include "tools/operations/explain/telling.hpp"

/// Reasons that lie in other jobs: those of its instance, and those within its limits.
namespace jobstrand::cli {

[[nodiscard]] Words describe_exclusive(const Telling& t);
[[nodiscard]] Words describe_limit(const Telling& t);

}  // namespace jobstrand::cli
