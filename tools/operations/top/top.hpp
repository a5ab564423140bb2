#pragma once

#include "tools/process/exit_code.hpp"
#include "tools/session/session.hpp"

#include <string>

namespace jobstrand::cli {

struct TopOptions {
    bool once = false;
    std::string interval = "2s";
    bool soon = false;
};

/// Shows what goes on, until somebody ends it; `once`, and to a client of a service: one time, in
/// any format. Throws CliError wrong_usage where stdout is no terminal.
[[nodiscard]] ExitCode show_top(Session& session, const TopOptions& options);

}  // namespace jobstrand::cli
