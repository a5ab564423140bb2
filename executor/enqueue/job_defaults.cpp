#include "executor/enqueue/job_defaults.hpp"

#include "schema/job_validation.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace jobstrand::executor {

namespace {

using schema::Job;

void refuse_invalid(const std::vector<Job>& jobs) {
    for (const Job& job : jobs) {
        const std::vector<std::string> problems = schema::problems_of(job);
        if (!problems.empty()) {
            throw std::invalid_argument(fmt::format("{}", fmt::join(problems, "; ")));
        }
    }
}

int retries_of_new(const Job& job, const schema::RetryPolicy& policy) {
    if (job.retries != schema::kDefaultRetries) {
        return job.retries;
    }
    if (job.retry_cycle.empty()) {
        return policy.default_attempts;
    }
    return schema::parse_retry_cycle(job.retry_cycle)
        .value()
        .attempts;  // Valid: see refuse_invalid.
}

}  // namespace

JobDefaults::JobDefaults(
    const schema::Clock& clock,
    schema::RetryPolicy policy,
    bool is_prioritized,
    schema::FailedExpression on_failure,
    std::shared_ptr<schema::FreshIds> ids
)
    : clock_(clock),
      policy_(std::move(policy)),
      is_prioritized_(is_prioritized),
      on_failure_(on_failure),
      ids_(ids == nullptr ? std::make_shared<schema::FreshIds>(clock) : std::move(ids)) {}

void JobDefaults::fill_in(std::vector<Job>& jobs, const schema::JobDefinitions& definitions) {
    refuse_invalid(jobs);
    const schema::TimePoint now = clock_.now();
    for (Job& job : jobs) {
        definitions.fill_in(job, on_failure_);
        fill_in(job, now);
    }
}

void JobDefaults::fill_in(Job& job, schema::TimePoint now) {
    if (job.id.empty()) {
        job.id = ids_->next(now);
    }
    if (job.correlation_id.empty()) {
        job.correlation_id = job.id;
    }
    if (job.due_date && job.type == schema::kMessageType) {
        job.type = schema::kTimerType;
    }
    if (!is_prioritized_) {
        job.priority = 0;
    }
    job.retries = retries_of_new(job, policy_);
    job.create_time = now;
}

}  // namespace jobstrand::executor
