#pragma once

#include "executor/handler_registry.hpp"
#include "executor/held_jobs.hpp"
#include "persistence/job_store.hpp"
#include "schema/clock.hpp"
#include "schema/log.hpp"
#include "schema/retry_policy.hpp"

#include <optional>
#include <string>

namespace jobstrand::executor {

/// Runs one job: finds its handler, calls it, and turns what it returned or threw into an outcome.
/// The only place that calls user code, and the only one that catches what it throws.
///
/// Thread safety: safe; called by all workers at once. Everything passed in must outlive it.
class JobRunner final {
public:
    struct Dependencies {
        persistence::JobStore& store;
        const HandlerRegistry& handlers;
        const schema::Clock& clock;
        schema::Log& log;
    };

    JobRunner(Dependencies dependencies, schema::RetryPolicy policy, std::string lock_owner);

    /// The outcome still to be written, or nullopt when there is none: the lock ended before the
    /// run, or a transactional handler has written it together with its own effects.
    [[nodiscard]] std::optional<persistence::Outcome> run(HeldJob& held) const;

private:
    [[nodiscard]] HandlerResult call(const JobHandler& handler, const JobContext& context) const;
    [[nodiscard]] std::optional<persistence::Outcome>
    run_transactional(const TransactionalJobHandler& handler, const JobContext& context) const;
    [[nodiscard]] persistence::Outcome
    outcome_of(const schema::Job& job, const HandlerResult& result) const;

    const Dependencies use_;
    const schema::RetryPolicy policy_;
    const std::string lock_owner_;
};

}  // namespace jobstrand::executor
