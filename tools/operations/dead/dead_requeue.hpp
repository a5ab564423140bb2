#pragma once

#include "tools/operations/dead/dead_options.hpp"
#include "tools/parameters/option_values.hpp"
#include "tools/process/exit_code.hpp"

#include <optional>
#include <string>

namespace jobstrand::cli {

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
