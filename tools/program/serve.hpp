#pragma once

#include "tools/process/exit_code.hpp"
#include "tools/session/session.hpp"

#include <optional>
#include <string>

namespace jobstrand::cli {

struct ServeOptions {
    bool no_executor = false;
    std::optional<std::string> http;  ///< Where to listen, in place of httpListen.
};

/// `serve`: runs jobs until a signal says stop; SIGHUP makes it read its configuration file again,
/// and without one stops it too. The first signal lets running jobs finish (within
/// awaitTerminationPeriod) and frees those that wait; a second one stops them. Jobs that do not end
/// even then are left to their locks, and the process ends at once, with exit code 1.
[[nodiscard]] ExitCode serve(Session& session, const ServeOptions& options);

}  // namespace jobstrand::cli
