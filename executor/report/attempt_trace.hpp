#pragma once

#include "schema/job.hpp"

#include <cstdint>
#include <mutex>
#include <random>
#include <string>

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

}  // namespace jobstrand::executor
