#include "executor/enqueue/job_defaults.hpp"

#include "persistence/sql/sql_transaction.hpp"
#include "schema/job_validation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace jobstrand::executor {

using schema::Job;
using schema::JobDefinitionName;

namespace {

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

namespace {

JobDefinitionName name_of_kind(const Job& job) {
    return {
        .definition = job.process_definition_id,
        .element = job.element_id,
        .type = job.handler_type,
    };
}

}  // namespace

persistence::KnownDefinitions
DefinitionUse::of(persistence::Transaction* transaction, std::span<const Job> jobs) {
    static const auto kNone = std::make_shared<const schema::JobDefinitions>();
    const bool is_any = std::ranges::any_of(jobs, [](const Job& job) {
        return !job.process_definition_id.empty();
    });
    if (!is_any) {
        return kNone;
    }
    if (records_) {
        record(transaction, jobs);
    }
    return store_.known_definitions(transaction, clock_.steady_now());
}

void DefinitionUse::record(persistence::Transaction* transaction, std::span<const Job> jobs) {
    std::vector<JobDefinitionName> names = unseen(jobs);
    if (names.empty()) {
        return;
    }
    store_.record_definitions(transaction, names);
    if (transaction == nullptr) {
        remember(names);
    } else {
        transaction->on_commit([this, names = std::move(names)] { remember(names); });
    }
}

std::vector<JobDefinitionName> DefinitionUse::unseen(std::span<const Job> jobs) {
    std::vector<JobDefinitionName> names;
    std::set<std::string> new_ones;
    const std::lock_guard lock(mutex_);
    for (const Job& job : jobs) {
        JobDefinitionName name = name_of_kind(job);
        const bool has_room = seen_.size() + new_ones.size() < schema::kMostJobDefinitions;
        if (!has_room || !schema::can_be_named(name)) {
            continue;
        }
        std::string id = schema::id_of(name);
        if (!seen_.contains(id) && new_ones.insert(std::move(id)).second) {
            names.push_back(std::move(name));
        }
    }
    return names;
}

void DefinitionUse::remember(const std::vector<JobDefinitionName>& names) {
    const std::lock_guard lock(mutex_);
    for (const JobDefinitionName& name : names) {
        seen_.insert(schema::id_of(name));
    }
}

}  // namespace jobstrand::executor
