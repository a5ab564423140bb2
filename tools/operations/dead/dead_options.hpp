#pragma once

#include "deadletter/bulk/job_selection.hpp"
#include "tools/parameters/bulk_selection.hpp"
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

/// The jobs that were named; nullptr: they were not.
[[nodiscard]] const std::vector<std::string>* named_in(const deadletter::DeadSelection& selection);

}  // namespace jobstrand::cli
