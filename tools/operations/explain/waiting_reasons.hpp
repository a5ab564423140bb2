#pragma once

#include "tools/operations/explain/telling.hpp"

/// Reasons that lie in other jobs: those of its instance, and those within its limits.
namespace jobstrand::cli {

[[nodiscard]] Words tell_exclusive(const Telling& t);
[[nodiscard]] Words tell_limit(const Telling& t);

}  // namespace jobstrand::cli
