#pragma once

#include "deadletter/causes/cause_tally.hpp"
#include "tools/output/fields.hpp"
#include "tools/parameters/job_filter_options.hpp"
#include "tools/process/exit_code.hpp"
#include "tools/session/session.hpp"

#include <string>

namespace jobstrand::cli {

struct GroupsOptions {
    JobFilterOptions filter;
    std::string limit = "100";
    bool soon = false;
};

[[nodiscard]] const Fields<deadletter::CauseGroup>& dead_group_fields();

/// `dead groups`: what the dead letters died of, the most frequent first. All of them are read,
/// or the latest ones where it is to be answered soon; what is beyond a bound is counted on stderr.
[[nodiscard]] ExitCode list_causes(Session& session, const GroupsOptions& options);

}  // namespace jobstrand::cli
