#pragma once

#include "schema/duration_histogram.hpp"
#include "schema/size_histogram.hpp"

namespace jobstrand::executor {

/// How long the transactions of an executor's activities took, and how many jobs they were about,
/// for whoever watches it. It belongs to the executor.
struct ActivityTimes {
    const schema::DurationHistogram& claims;       ///< Those that looked for free jobs.
    const schema::DurationHistogram& completions;  ///< Those that wrote what became of runs.
    const schema::SizeHistogram& claimed;          ///< Of claims that found some.
    const schema::SizeHistogram& completed;
};

}  // namespace jobstrand::executor
