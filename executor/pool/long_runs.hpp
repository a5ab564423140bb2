#pragma once

#include "executor/pool/held_jobs.hpp"
#include "persistence/node_work.hpp"
#include "schema/clock.hpp"

#include <vector>

namespace jobstrand::executor {

/// Returns the jobs that have been running for `least` or longer, by id; if there are too many, the
/// longest. Shorter runs would have ended before anybody reads of them.
[[nodiscard]] std::vector<persistence::LongRun>
long_runs(std::vector<HeldJobPtr> running, schema::Duration least, const schema::Clock& clock);

}  // namespace jobstrand::executor
