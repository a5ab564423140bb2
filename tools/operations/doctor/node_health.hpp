#pragma once

#include "persistence/node_store.hpp"
#include "tools/operations/doctor/finding.hpp"

#include <optional>
#include <vector>

/// Pure.
namespace jobstrand::cli {

/// Who lives, who has died, who is drained, and whether all are of one version.
void check_nodes(
    const std::vector<persistence::Node>& nodes,
    schema::TimePoint now,
    Findings& findings
);

/// Who has died lately. Nothing is wrong with that any more, but somebody may want to know why.
void check_lost_nodes(
    const std::vector<persistence::Node>& lost,
    schema::TimePoint now,
    Findings& findings
);

/// How far this machine's clock is ahead of the database's.
void check_clock(schema::Duration skew, Findings& findings);

/// Whether a Flowable engine that has its jobs here writes times in another zone than UTC, as far
/// as they tell: one that is behind UTC writes times that anybody could have written.
void check_engine_times(
    const std::optional<schema::TimePoint>& last_job,
    schema::TimePoint now,
    Findings& findings
);

}  // namespace jobstrand::cli
