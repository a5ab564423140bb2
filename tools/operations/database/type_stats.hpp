#pragma once

#include "tools/session/session.hpp"

namespace jobstrand::cli {

/// `stats --by-type`: a line for each handler type and place, with the oldest job and who holds how
/// many. Reads all jobs.
void write_type_stats(Session& session);

}  // namespace jobstrand::cli
