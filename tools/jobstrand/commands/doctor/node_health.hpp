#pragma once

#include "persistence/node_store.hpp"
#include "tools/jobstrand/commands/doctor/finding.hpp"

#include <vector>

/// Pure.
namespace jobstrand::cli {

/// Who lives, who has died, who is drained, and whether all are of one version.
void check_nodes(
    const std::vector<persistence::Node>& nodes,
    schema::TimePoint now,
    Findings& findings
);

/// How far this machine's clock is ahead of the database's.
void check_clock(schema::Duration skew, Findings& findings);

}  // namespace jobstrand::cli
