#pragma once

#include "bench/core/bench_options.hpp"
#include "bench/core/result.hpp"
#include "bench/scenarios/scenario.hpp"

namespace jobstrand::bench {

/// Opens the database, measures the ceiling unless told not to, and runs the scenario. Throws
/// std::exception when it cannot be run; a result that did not pass is returned.
[[nodiscard]] Result run_scenario(Scenario& scenario, const Options& options);

}  // namespace jobstrand::bench
