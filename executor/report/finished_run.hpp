#pragma once

#include "schema/job.hpp"
#include "schema/job_transition.hpp"
#include "schema/time.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace jobstrand::executor {

/// A run that has ended, for who watches. What became of it counts unless its lock is lost. All of
/// it is borrowed for the call.
struct FinishedRun {
    const schema::Job& job;         ///< As it was acquired.
    std::string_view trace_parent;  ///< See JobContext::trace_parent.
    int attempt = 1;
    schema::TimePoint began;  ///< By the engine's clock, as `ended`.
    schema::TimePoint ended;
    schema::TransitionReason reason;
    std::string_view error = {};                   ///< Of a failure.
    std::optional<schema::TimePoint> locked = {};  ///< When this node took the job.
};

/// Told of each run by the thread that has ended it: it must not block, and not throw.
using OnRun = std::function<void(const FinishedRun&)>;

}  // namespace jobstrand::executor
