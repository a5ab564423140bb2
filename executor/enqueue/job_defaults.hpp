#pragma once

#include "schema/clock.hpp"
#include "schema/definition/job_definitions.hpp"
#include "schema/job.hpp"
#include "schema/retry_policy.hpp"
#include "schema/time.hpp"
#include "schema/uuid7.hpp"

#include <memory>
#include <vector>

namespace jobstrand::executor {

/// What every new job gets, however it is enqueued: fills in what the caller left open (id,
/// correlation id, type, retries, creation time), and refuses what no table can hold.
///
/// Thread safety: safe. The clock must outlive it.
class JobDefaults final {
public:
    /// Not prioritized: every job gets priority 0, whatever the caller says (R017).
    JobDefaults(
        const schema::Clock& clock,
        schema::RetryPolicy policy,
        bool is_prioritized = true,
        schema::FailedExpression on_failure = schema::FailedExpression::refuses_job,
        std::shared_ptr<schema::FreshIds> ids = nullptr  ///< nullptr: ids of its own.
    );

    /// What their definitions say goes before what all jobs get. Throws std::invalid_argument with
    /// one sentence per mistake; then none of the jobs is ready.
    void fill_in(std::vector<schema::Job>& jobs, const schema::JobDefinitions& definitions = {});

private:
    void fill_in(schema::Job& job, schema::TimePoint now);

    const schema::Clock& clock_;
    const schema::RetryPolicy policy_;
    const bool is_prioritized_;
    const schema::FailedExpression on_failure_;
    const std::shared_ptr<schema::FreshIds> ids_;
};

}  // namespace jobstrand::executor
