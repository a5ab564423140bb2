#pragma once

#include "tools/jobstrand/commands/bulk_selection.hpp"
#include "tools/jobstrand/commands/option_values.hpp"
#include "tools/jobstrand/exit_code.hpp"

#include <optional>
#include <string>

namespace jobstrand::cli {

struct RequeueOptions {
    BulkOptions bulk;
    std::optional<std::string> retries;  ///< Default: what a new job gets.
    DueOptions due;
};

/// `dead requeue`: gives dead letters new attempts. Nothing is lost by it, so it does not ask. An
/// id that is already requeued is skipped, so that a call can be repeated.
[[nodiscard]] ExitCode requeue_dead(Session& session, const RequeueOptions& options);

/// `dead rm`: deletes dead letters for good.
[[nodiscard]] ExitCode remove_dead(Session& session, const BulkOptions& options);

}  // namespace jobstrand::cli
