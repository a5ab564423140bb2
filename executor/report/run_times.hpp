#pragma once

#include "schema/duration_histogram.hpp"

namespace jobstrand::executor {

/// How long the runs of this executor have waited and taken since it began, for whoever watches it.
///
/// Thread safety: safe.
struct RunTimes {
    /// The times from when a job could run (its due date, or its creation) until its handler was
    /// called.
    schema::DurationHistogram waited;
    /// The times from the call of the handler until it ended.
    schema::DurationHistogram ran;
};

}  // namespace jobstrand::executor
