#pragma once

#include "tools/settings/settings.hpp"

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

/// Of a file and its folder those that every user of the machine may write: whoever does decides
/// what the service runs. A folder in which nobody replaces what belongs to others (sticky, as
/// /tmp) is none.
[[nodiscard]] std::vector<std::string> open_to_others(const std::string& path);

}  // namespace jobstrand::cli
