#pragma once

#include "deadletter/explanation.hpp"
#include "tools/output/record.hpp"

namespace jobstrand::cli {

/// What `job explain` goes by; docs/cli.md says what it holds. null where it does not apply.
[[nodiscard]] Record facts_of(const deadletter::JobFacts& facts);

}  // namespace jobstrand::cli
