#pragma once

#include "deadletter/job_selection.hpp"
#include "tools/parameters/bulk_changes.hpp"

#include <optional>
#include <string>

namespace jobstrand::cli {

/// Which dead letters a verb means.
struct DeadBulkOptions : BulkOptions {
    std::optional<std::string> group;  ///< As `dead groups` names it.
};

/// --group.
[[nodiscard]] Parameters<DeadBulkOptions> dead_group_parameter();

/// As selection_of(), or all of one group, of which a filter may leave some out. Throws CliError
/// not_found for a group that nothing is of.
[[nodiscard]] deadletter::DeadSelection
dead_selection_of(Session& session, const DeadBulkOptions& options);

}  // namespace jobstrand::cli
