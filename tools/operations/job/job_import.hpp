#pragma once

#include "tools/process/exit_code.hpp"
#include "tools/session/session.hpp"

#include <string>

namespace jobstrand::cli {

struct ImportOptions {
    std::string file;  ///< `-`: stdin.
    bool keep_going = false;
};

/// `job add --from`: enqueues the jobs of a JSONL file, all or none: every line is checked before
/// the first job is written, and all are written in one transaction. With keep_going, bad lines are
/// reported and left out, the others are written page by page, and the answer is partly_done.
[[nodiscard]] ExitCode import_jobs(Session& session, const ImportOptions& options);

}  // namespace jobstrand::cli
