#pragma once

#include "persistence/enqueuer_store.hpp"
#include "schema/clock.hpp"
#include "schema/job.hpp"
#include "schema/job_definition.hpp"
#include "schema/job_failure.hpp"
#include "schema/time.hpp"
#include "schema/uuid7.hpp"

#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
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

namespace jobstrand::persistence {
class Transaction;
}

namespace jobstrand::executor {

/// Which job definitions new jobs go by; and, if it is to record them, a row for each kind of job
/// that is seen for the first time.
///
/// Thread safety: safe. Everything passed in must outlive it.
class DefinitionUse final {
public:
    DefinitionUse(persistence::EnqueuerStore& store, const schema::Clock& clock, bool records)
        : store_(store), clock_(clock), records_(records) {}

    /// Returns what is known of the definitions of these jobs. Asks the database seldom, and never
    /// for jobs without a definition. Throws DbError.
    [[nodiscard]] persistence::KnownDefinitions
    of(persistence::Transaction* transaction, std::span<const schema::Job> jobs);

private:
    void record(persistence::Transaction* transaction, std::span<const schema::Job> jobs);
    [[nodiscard]] std::vector<schema::JobDefinitionName> unseen(std::span<const schema::Job> jobs);
    void remember(const std::vector<schema::JobDefinitionName>& names);

    persistence::EnqueuerStore& store_;
    const schema::Clock& clock_;
    const bool records_;

    std::mutex mutex_;
    std::set<std::string> seen_;  ///< Ids of rows that are there. Guarded by mutex_.
};

}  // namespace jobstrand::executor
