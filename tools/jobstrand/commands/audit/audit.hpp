#pragma once

#include "tools/jobstrand/exit_code.hpp"
#include "tools/jobstrand/session.hpp"

#include <optional>
#include <string>

namespace jobstrand::cli {

struct AuditListOptions {
    std::optional<std::string> who;
    std::optional<std::string> action;
    std::optional<std::string> since;
    std::optional<std::string> until;
    std::string limit = "100";
    std::string after;
};

/// `audit ls`: what people have changed, the latest first.
[[nodiscard]] ExitCode list_audit(Session& session, const AuditListOptions& options);

struct AuditRemoveOptions {
    std::string before;
};

/// `audit rm`: forgets what is older.
[[nodiscard]] ExitCode remove_audit(Session& session, const AuditRemoveOptions& options);

}  // namespace jobstrand::cli
