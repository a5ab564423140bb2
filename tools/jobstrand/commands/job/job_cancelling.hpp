#pragma once

#include "tools/jobstrand/exit_code.hpp"
#include "tools/jobstrand/session.hpp"

#include <optional>
#include <string>
#include <vector>

namespace jobstrand::cli {

struct CancelOptions {
    std::vector<std::string> ids;
    std::string reason;
    std::optional<std::string> by;  ///< nullopt: the user whose environment this is.
};

/// `job cancel`: makes dead letters of jobs, also of those that a node runs.
[[nodiscard]] ExitCode cancel_jobs(Session& session, const CancelOptions& options);

}  // namespace jobstrand::cli
