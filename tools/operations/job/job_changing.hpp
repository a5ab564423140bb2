#pragma once

#include "schema/job.hpp"
#include "tools/parameters/bulk_changes.hpp"
#include "tools/parameters/field_options.hpp"
#include "tools/parameters/option_values.hpp"
#include "tools/process/exit_code.hpp"
#include "tools/session/session.hpp"

#include <optional>
#include <string>

namespace jobstrand::cli {

/// Which jobs are meant.
struct PlacedBulkOptions {
    BulkOptions bulk;

    /// Where the jobs stand. Empty: ids are looked for everywhere, filters in the executable place.
    std::string place;
};

struct SetOptions : PlacedBulkOptions {
    TypedFields fields = fields_with(&schema::JobField::change);
    DueOptions due;  ///< Of timers, and of what could run.
};

/// `job set`: changes jobs that no node holds.
[[nodiscard]] ExitCode set_jobs(Session& session, const SetOptions& options);

/// `job run`: runs one executable job now, in this process, with the service's handlers (R006).
[[nodiscard]] ExitCode run_job(Session& session, const NamedThing& job);

/// `rm`: deletes jobs that no node holds and that carry no series on; that is `series end`.
[[nodiscard]] ExitCode remove_jobs(Session& session, const PlacedBulkOptions& options);

}  // namespace jobstrand::cli
