#pragma once

#include "tools/parameters/parameter.hpp"
#include "tools/process/exit_code.hpp"
#include "tools/session/session.hpp"

namespace jobstrand::cli {

/// `job explain`: why a job does not run now, the most decisive reason first, and what to do. The
/// exit code is not_found where there is no such job, which is explained too.
[[nodiscard]] ExitCode explain_job(Session& session, const NamedThing& job);

}  // namespace jobstrand::cli
