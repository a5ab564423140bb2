#pragma once

#include "tools/jobstrand/settings/settings.hpp"

#include <string>
#include <vector>

namespace jobstrand::cli {

/// What keeps this process from running configured commands, one sentence each: programs that are
/// not there or may not be run, working directories that are not there or may not be entered.
/// Empty: nothing.
[[nodiscard]] std::vector<std::string> obstacles_to_commands(const Commands& commands);

/// The same of one of them.
[[nodiscard]] std::vector<std::string>
obstacles_to_command(const std::string& name, const CommandSettings& command);

}  // namespace jobstrand::cli
