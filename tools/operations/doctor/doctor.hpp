#pragma once

#include "tools/process/exit_code.hpp"
#include "tools/session/session.hpp"

namespace jobstrand::cli {

struct DoctorOptions {};

/// `doctor`: looks whether an installation is healthy, at a bounded cost, and says what to do.
/// check_found when anything is wrong.
[[nodiscard]] ExitCode diagnose(Session& session, const DoctorOptions& options);

}  // namespace jobstrand::cli
