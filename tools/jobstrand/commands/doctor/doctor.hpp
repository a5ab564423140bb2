#pragma once

#include "tools/jobstrand/exit_code.hpp"
#include "tools/jobstrand/session.hpp"

namespace jobstrand::cli {

struct DoctorOptions {};

/// `doctor`: looks whether an installation is healthy, at a bounded cost, and says what to do.
/// check_found when anything is wrong.
[[nodiscard]] ExitCode diagnose(Session& session, const DoctorOptions& options);

}  // namespace jobstrand::cli
