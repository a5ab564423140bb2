#pragma once

#include "tools/process/exit_code.hpp"
#include "tools/session/session.hpp"

#include <string>

namespace jobstrand::cli {

struct ExplainOptions {
    std::string id;
};

/// `job explain`: why a job does not run now, the most decisive reason first, and what to do. The
/// exit code is not_found where there is no such job, which is explained too.
[[nodiscard]] ExitCode explain_job(Session& session, const ExplainOptions& options);

}  // namespace jobstrand::cli
