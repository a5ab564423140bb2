#pragma once

#include "tools/jobstrand/commands/series/series_selection.hpp"
#include "tools/jobstrand/exit_code.hpp"

namespace jobstrand::cli {

/// `series pause`: their turns wait, suspended, until the series are resumed (R127).
[[nodiscard]] ExitCode pause_series(Session& session, const SeriesBulkOptions& options);

/// `series resume`. A series whose group is paused stays paused, which is a refusal.
[[nodiscard]] ExitCode resume_series(Session& session, const SeriesBulkOptions& options);

/// `series fire`: runs an extra job of each series now.
[[nodiscard]] ExitCode fire_series(Session& session, const SeriesBulkOptions& options);

/// `series end`: no further turn; what runs may finish.
[[nodiscard]] ExitCode end_series(Session& session, const SeriesBulkOptions& options);

/// `series rm`: forgets series that have ended.
[[nodiscard]] ExitCode remove_series(Session& session, const SeriesBulkOptions& options);

}  // namespace jobstrand::cli
