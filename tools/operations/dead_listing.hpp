#pragma once

#include "deadletter/failure_cause.hpp"
#include "tools/operations/dead_requeue.hpp"
#include "tools/output/fields.hpp"
#include "tools/parameters/field_options.hpp"
#include "tools/parameters/listing.hpp"
#include "tools/process/exit_code.hpp"
#include "tools/session/session.hpp"

#include <string>

namespace jobstrand::cli {

struct DeadListOptions : ListOptions {
    bool newest = false;
};

/// `dead ls`: dead letters in id order, or the latest first. When there are more, stderr says how
/// to go on.
[[nodiscard]] ExitCode list_dead(Session& session, const DeadListOptions& options);

struct GroupsOptions {
    JobFilterOptions filter;
    std::string limit = "100";
    bool soon = false;
};

[[nodiscard]] const Fields<deadletter::CauseGroup>& dead_group_fields();

/// `dead groups`: what the dead letters died of, the most frequent first. All of them are read,
/// or the latest ones where it is to be answered soon; what is beyond a bound is counted on stderr.
[[nodiscard]] ExitCode list_causes(Session& session, const GroupsOptions& options);

/// `dead export`: writes dead letters with all that brings them back, one JSON object a line.
[[nodiscard]] ExitCode export_dead(Session& session, const DeadBulkOptions& options);

struct DeadImportOptions {
    std::string file;  ///< `-`: stdin.
};

/// `dead import`: brings such dead letters back, page by page. One whose id a job has already is
/// skipped, so that a call can be repeated; a line that is none is told by its number and left out,
/// and the answer is partly_done.
[[nodiscard]] ExitCode import_dead(Session& session, const DeadImportOptions& options);

}  // namespace jobstrand::cli
