#pragma once

#include "persistence/enqueuer_store.hpp"
#include "schema/clock.hpp"
#include "schema/definition/job_definitions.hpp"
#include "schema/job.hpp"

#include <mutex>
#include <set>
#include <span>
#include <string>
#include <vector>

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
