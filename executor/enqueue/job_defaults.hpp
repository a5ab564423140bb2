#pragma once

#include "schema/clock.hpp"
#include "schema/job.hpp"
#include "schema/retry_policy.hpp"
#include "schema/time.hpp"
#include "schema/uuid7.hpp"

#include <mutex>
#include <vector>

namespace jobstrand::executor {

/// What every new job gets, however it is enqueued: fills in what the caller left open (id,
/// correlation id, type, retries, creation time), and refuses what no table can hold.
///
/// Thread safety: safe. The clock must outlive it.
class JobDefaults final {
public:
    /// Not prioritized: every job gets priority 0, whatever the caller says (R017).
    JobDefaults(const schema::Clock& clock, schema::RetryPolicy policy, bool is_prioritized = true);

    /// Throws std::invalid_argument with one sentence per mistake; then nothing was changed.
    void fill_in(std::vector<schema::Job>& jobs);

private:
    void fill_in(schema::Job& job, schema::TimePoint now);

    const schema::Clock& clock_;
    const schema::RetryPolicy policy_;
    const bool is_prioritized_;

    std::mutex ids_mutex_;
    schema::Uuid7Source ids_;  ///< Guarded by ids_mutex_.
};

}  // namespace jobstrand::executor
