#pragma once

#include "deadletter/job_selection.hpp"
#include "tools/parameters/bulk_changes.hpp"
#include "tools/parameters/option_values.hpp"
#include "tools/process/exit_code.hpp"
#include "tools/session/session.hpp"

#include <optional>
#include <string>

namespace jobstrand::cli {

/// Which dead letters a verb means.
struct DeadBulkOptions : BulkOptions {
    std::optional<std::string> group;  ///< As `dead groups` names it.
};

/// As selection_of(), or all of one group, of which a filter may leave some out. Throws CliError
/// not_found for a group that nothing is of.
[[nodiscard]] deadletter::DeadSelection
dead_selection_of(Session& session, const DeadBulkOptions& options);

struct RequeueOptions {
    DeadBulkOptions bulk;
    std::optional<std::string> retries;  ///< Default: what a new job gets.
    DueOptions due;
    std::optional<std::string> rate;        ///< Jobs a second.
    std::optional<std::string> spread;      ///< A duration, over which they become due.
    bool probe = false;                     ///< One first; the others when it has succeeded.
    std::optional<std::string> probe_wait;  ///< How long the probe may take.
    std::optional<std::string> payload;     ///< Another one, of a single job.
};

/// `dead requeue`: gives dead letters new attempts. What a filter matches is asked for on a
/// terminal only, because nothing is lost by it. An id that is already requeued is skipped, so that
/// a call can be repeated.
[[nodiscard]] ExitCode requeue_dead(Session& session, const RequeueOptions& options);

/// `dead rm`: deletes dead letters for good.
[[nodiscard]] ExitCode remove_dead(Session& session, const DeadBulkOptions& options);

}  // namespace jobstrand::cli
