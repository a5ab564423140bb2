#pragma once

#include "schema/job_place.hpp"
#include "tools/parameters/bulk_selection.hpp"
#include "tools/process/exit_code.hpp"

#include <optional>
#include <string>

namespace jobstrand::cli {

struct RemoveOptions {
    BulkOptions bulk;

    /// Where the jobs stand. Empty: ids are looked for everywhere, filters in the executable place.
    std::string place;
};

/// `rm`: deletes jobs that no node holds and that carry no series on; that is `series end`.
[[nodiscard]] ExitCode remove_jobs(Session& session, const RemoveOptions& options);

}  // namespace jobstrand::cli
