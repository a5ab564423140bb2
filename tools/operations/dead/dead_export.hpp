#pragma once

#include "tools/operations/dead/dead_options.hpp"
#include "tools/process/exit_code.hpp"
#include "tools/session/session.hpp"

#include <string>

namespace jobstrand::cli {

/// `dead export`: writes dead letters with all that brings them back, one JSON object a line.
[[nodiscard]] ExitCode export_dead(Session& session, const DeadBulkOptions& options);

struct DeadImportOptions {
    std::string file;  ///< `-`: stdin.
};

/// `dead import`: brings such dead letters back, page by page. One whose id a job has already is
/// skipped, so that a call can be repeated; a line that is none is told by its number and left out,
/// and the answer is partly_done.
[[nodiscard]] ExitCode import_dead(Session& session, const DeadImportOptions& options);

}  // namespace jobstrand::cli
