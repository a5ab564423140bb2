#pragma once

#include "persistence/suspension.hpp"
#include "tools/jobstrand/exit_code.hpp"
#include "tools/jobstrand/session.hpp"

#include <string>
#include <vector>

namespace jobstrand::cli {

struct SuspensionOptions {
    persistence::SuspensionScope scope = persistence::SuspensionScope::instance;
    bool activate = false;
    std::vector<std::string> ids;
};

/// `instance|definition suspend|activate`: moves the jobs of whole instances or definitions to the
/// suspended place, or back.
[[nodiscard]] ExitCode change_suspension(Session& session, const SuspensionOptions& options);

struct InstanceListOptions {
    std::string limit = "100";
    std::string after;
};

/// `instance ls`: instances that have jobs or are suspended, with their jobs per place.
[[nodiscard]] ExitCode list_instances(Session& session, const InstanceListOptions& options);

}  // namespace jobstrand::cli
