#pragma once

#include "tools/output/fields.hpp"
#include "tools/session/session.hpp"

#include <vector>

namespace jobstrand::cli {

/// `stats --by-type` and `type ls`: a line for each handler type and place, with the oldest job and
/// who holds how many. Reads all jobs, or the first ones where it is to be answered soon.
void write_type_stats(Session& session, bool is_soon);
[[nodiscard]] std::vector<DescribedField> described_type_stats();

}  // namespace jobstrand::cli
