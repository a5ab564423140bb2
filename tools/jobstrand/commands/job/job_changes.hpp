#pragma once

#include "tools/jobstrand/exit_code.hpp"
#include "tools/jobstrand/session.hpp"

#include <optional>
#include <string>

namespace jobstrand::cli {

struct SetOptions {
    std::string id;
    std::optional<std::string> retries;
    std::optional<std::string> priority;
    std::optional<std::string> payload;
    std::optional<std::string> retry_cycle;
};

/// `job set`: changes a job that no node holds.
[[nodiscard]] ExitCode set_job(Session& session, const SetOptions& options);

struct RunOptions {
    std::string id;
};

/// `job run`: runs one executable job now, in this process, with the service's handlers (R006).
[[nodiscard]] ExitCode run_job(Session& session, const RunOptions& options);

}  // namespace jobstrand::cli
