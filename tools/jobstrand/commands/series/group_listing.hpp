#pragma once

#include "tools/jobstrand/exit_code.hpp"
#include "tools/jobstrand/session.hpp"

namespace jobstrand::cli {

struct GroupListOptions {};

/// `group ls`: the groups of series that have not ended, and those that are paused (R144).
[[nodiscard]] ExitCode list_groups(Session& session, const GroupListOptions& options);

}  // namespace jobstrand::cli
