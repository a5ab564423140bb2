#pragma once

#include "tools/parameters/job_listing.hpp"
#include "tools/process/exit_code.hpp"
#include "tools/session/session.hpp"

namespace jobstrand::cli {

struct DeadListOptions : ListOptions {
    bool newest = false;
};

/// `dead ls`: dead letters in id order, or the latest first. When there are more, stderr says how
/// to go on.
[[nodiscard]] ExitCode list_dead(Session& session, const DeadListOptions& options);

}  // namespace jobstrand::cli
