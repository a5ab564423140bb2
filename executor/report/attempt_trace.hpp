#pragma once

#include "schema/job.hpp"
#include "schema/job_transition.hpp"
#include "schema/time.hpp"

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <string_view>

namespace jobstrand::executor {

/// The trace that a job belongs to, in hexadecimal, for log lines; empty: none.
[[nodiscard]] std::string trace_id_of(const schema::Job& job);

/// Gives the attempts of jobs spans in the traces that they belong to.
///
/// Thread safety: safe.
class AttemptSpans final {
public:
    AttemptSpans();

    /// The `traceparent` that what this attempt calls is to get: the job's trace and a span of its
    /// own. Empty: the job is in no trace. `starts_trace`: such a job gets one, which is sampled.
    [[nodiscard]] std::string next(const schema::Job& job, bool starts_trace = false);

private:
    [[nodiscard]] std::uint64_t number();

    std::mutex mutex_;
    std::mt19937_64 random_;  ///< Guarded by mutex_.
};

/// A run that has ended, for who watches; of the row and the trace an app is shown less (EndedRun).
/// What became of it counts unless its lock is lost. All of it is borrowed for the call.
struct WatchedRun {
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
using OnRun = std::function<void(const WatchedRun&)>;

}  // namespace jobstrand::executor
