#pragma once

#include "persistence/suspension.hpp"
#include "tools/jobstrand/commands/option_values.hpp"
#include "tools/jobstrand/exit_code.hpp"
#include "tools/jobstrand/operations/operation.hpp"
#include "tools/jobstrand/session.hpp"

#include <string>
#include <vector>

namespace jobstrand::cli {

/// What is done, and with what.
struct SuspensionVerb {
    persistence::SuspensionScope scope = persistence::SuspensionScope::instance;
    bool activate = false;
};

struct SuspensionOptions {
    std::vector<std::string> ids;
    std::string element;  ///< Of a definition: only its jobs.
    std::string type;     ///< Likewise.
    bool without_jobs = false;
    DueOptions due;
};

/// `instance|definition|tenant suspend|activate`: moves the jobs of whole instances, definitions or
/// tenants to the suspended place, or back; or makes a job that does so at a date.
[[nodiscard]] ExitCode
change_suspension(Session& session, SuspensionVerb verb, const SuspensionOptions& options);

struct ScopeListOptions {
    bool only_suspended = false;
    PageRequest page;
};

/// `instance|definition|tenant ls`: those that have jobs or are suspended, with their jobs per
/// place.
[[nodiscard]] ExitCode
list_scopes(Session& session, persistence::SuspensionScope scope, const ScopeListOptions& options);

}  // namespace jobstrand::cli
