#pragma once

#include "executor/pool/held_jobs.hpp"
#include "persistence/node_work.hpp"
#include "schema/clock.hpp"

#include <vector>

namespace jobstrand::executor {

/// Those of the running jobs that have been running for `least` or longer, by id; of too many, the
/// longest. Shorter ones would be over when somebody reads of them.
[[nodiscard]] std::vector<persistence::LongRun>
long_runs(std::vector<HeldJobPtr> running, schema::Duration least, const schema::Clock& clock);

}  // namespace jobstrand::executor
