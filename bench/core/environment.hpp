#pragma once

#include "bench/core/bench_database.hpp"
#include "bench/core/result.hpp"

namespace jobstrand::bench {

/// The machine, this build, and the database with what a commit of it survives.
[[nodiscard]] Facts environment_of(BenchDatabase& database);

}  // namespace jobstrand::bench
