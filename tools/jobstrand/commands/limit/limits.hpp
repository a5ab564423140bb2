#pragma once

#include "tools/jobstrand/exit_code.hpp"
#include "tools/jobstrand/session.hpp"

#include <optional>
#include <string>
#include <vector>

namespace jobstrand::cli {

struct LimitListOptions {};

/// `limit ls`: the limits, and what runs and waits within them.
[[nodiscard]] ExitCode list_limits(Session& session, const LimitListOptions& options);

struct LimitSetOptions {
    std::string name;
    std::optional<std::string> concurrent;
    std::optional<std::string> per_node;
    std::optional<std::string> rate;
};

/// `limit set`: a new limit, or other numbers for one.
[[nodiscard]] ExitCode set_limit(Session& session, const LimitSetOptions& options);

struct LimitRemoveOptions {
    std::vector<std::string> names;
};

/// `limit rm`: what waits for them runs.
[[nodiscard]] ExitCode remove_limits(Session& session, const LimitRemoveOptions& options);

}  // namespace jobstrand::cli
