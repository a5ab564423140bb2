#pragma once

#include "tools/process/exit_code.hpp"
#include "tools/session/session.hpp"

#include <optional>
#include <string>

namespace jobstrand::cli {

struct DemoOptions {
    std::optional<std::string> http;  ///< Where to listen; nullopt: a free port of this machine.
    bool no_browser = false;
};

/// `demo`: two nodes with living jobs on a temporary SQLite database, and the page that shows them,
/// until a signal says stop. The database is removed then.
[[nodiscard]] ExitCode demo(Session& session, const DemoOptions& options);

}  // namespace jobstrand::cli
