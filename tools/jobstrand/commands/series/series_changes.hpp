#pragma once

#include "tools/jobstrand/commands/bulk_selection.hpp"
#include "tools/jobstrand/exit_code.hpp"
#include "tools/jobstrand/session.hpp"

#include <optional>
#include <string>
#include <vector>

namespace jobstrand::cli {

/// Which series a bulk verb means, as it was typed.
struct SeriesBulkOptions : BulkFlags {
    deadletter::SeriesChange change = deadletter::SeriesChange::pause;
    std::vector<std::string> keys;
    std::optional<std::string> group;
};

/// `series pause|resume|fire|end|rm`: see deadletter::SeriesChange.
[[nodiscard]] ExitCode change_series(Session& session, const SeriesBulkOptions& options);

}  // namespace jobstrand::cli
