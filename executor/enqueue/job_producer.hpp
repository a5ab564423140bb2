#pragma once

#include "executor/enqueue/job_defaults.hpp"
#include "executor/enqueue/new_job.hpp"
#include "executor/loop/job_intake.hpp"
#include "executor/loop/wake_ups.hpp"
#include "persistence/enqueuer_store.hpp"
#include "schema/clock.hpp"
#include "schema/job.hpp"
#include "schema/job_failure.hpp"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace jobstrand::persistence {
class Transaction;
}

namespace jobstrand::executor {

/// Enqueues jobs: fills in what the caller left empty (id, correlation id, creation time, retries),
/// refuses what no table can hold, inserts, and hands new jobs to this process's executor right
/// after the commit, so that they need no poll (R152, R153). A job that this node does not serve,
/// or has no room for, is inserted free for others to take (R154).
///
/// Thread safety: safe. Everything passed in must outlive it.
class JobProducer final {
public:
    struct Dependencies {
        persistence::EnqueuerStore& store;
        JobIntake& intake;
        const schema::Clock& clock;
        const WakeUps& wake_ups;
        std::shared_ptr<schema::FreshIds> ids = nullptr;  ///< See JobDefaults.
    };

    /// A callback that sees new jobs as they were stored: within the transaction, before its
    /// commit, and once more if that has to be repeated.
    using Seen = std::function<void(std::span<const schema::PlacedJob>)>;

    /// What new jobs get.
    struct Rules {
        schema::RetryPolicy retries = {};
        bool is_prioritized = true;  ///< See JobDefaults.
        schema::FailedExpression on_failed_expression = schema::FailedExpression::refuses_job;
        bool records_definitions = false;  ///< See DefinitionUse.
    };

    JobProducer(Dependencies dependencies, Rules rules);

    /// Enqueues all jobs or none, in a transaction of its own. Returns the ids, in order. Throws
    /// std::invalid_argument with one sentence per mistake, or DbError; then nothing was enqueued.
    ///
    /// A job with a `repeat` becomes the first turn of a series with default settings.
    std::vector<std::string> enqueue(std::vector<schema::Job> jobs, const Seen& seen = {});

    /// Enqueues in the caller's transaction: the jobs exist exactly if it commits.
    std::vector<std::string> enqueue(
        persistence::Transaction& transaction,
        std::vector<schema::Job> jobs,
        const Seen& seen = {}
    );

    /// Enqueues jobs of which some have unique keys. Returns the result of each, in order. A job
    /// whose key is held is rejected with persistence::KeyHeld, kept out, or takes the other's
    /// place, as its rule says; without one it is rejected. Jobs with a key are not handed over but
    /// claimed like all others, so that they can still be replaced.
    std::vector<schema::Enqueued>
    enqueue_unique(std::vector<UniqueJob> jobs, const Seen& seen = {});
    std::vector<schema::Enqueued> enqueue_unique(
        persistence::Transaction& transaction,
        std::vector<UniqueJob> jobs,
        const Seen& seen = {}
    );

    /// Starts a series whose turns are like `turn`; see persistence::NewSeries. Returns its key.
    std::string start_series(schema::Series series, schema::Job turn);
    std::string
    start_series(persistence::Transaction& transaction, schema::Series series, schema::Job turn);
    std::string start_series(
        persistence::Transaction& transaction,
        persistence::NewSeries fresh,
        const Seen& seen = {}
    );

private:
    /// What the commit of new jobs gives this process to do. Only jobs that it will run are kept
    /// until then: a transaction may insert more jobs than the memory holds.
    struct HandOver {
        std::vector<schema::Job> locked;
        std::optional<schema::TimePoint> first_due;
        bool is_any_free = false;
        bool is_any_external = false;
    };

    /// Jobs with all that they need to be stored, which must be the same however often that is
    /// tried.
    struct UniqueJobs {
        std::vector<schema::Job> jobs;
        std::vector<schema::KeyRule> rules;
        persistence::IdOrigin ids = persistence::IdOrigin::given;
    };

    /// Whether ids have to be looked for: none has if all are to be made.
    [[nodiscard]] static persistence::IdOrigin origin_of_ids(const std::vector<schema::Job>& jobs);

    std::vector<std::string> store(
        persistence::Transaction& transaction,
        std::vector<schema::Job> jobs,
        persistence::IdOrigin origin,
        const Seen& seen
    );
    void fill_in(persistence::Transaction* transaction, std::vector<schema::Job>& jobs);
    [[nodiscard]] UniqueJobs
    fill_in(persistence::Transaction* transaction, std::vector<UniqueJob> jobs);
    std::vector<schema::Enqueued>
    store_unique(persistence::Transaction& transaction, const UniqueJobs& jobs, const Seen& seen);
    [[nodiscard]] std::vector<schema::Enqueued>
    take_keys(persistence::Transaction& transaction, const UniqueJobs& jobs);
    [[nodiscard]] bool
    is_any_stored(std::span<const schema::Job> jobs, std::span<const schema::Enqueued> enqueued);
    [[nodiscard]] std::vector<schema::PlacedJob>
    prepare(persistence::Transaction* transaction, std::vector<schema::Job> jobs);
    void hand_over_on_commit(
        persistence::Transaction& transaction,
        std::vector<schema::PlacedJob> stored,
        schema::SteadyPoint locked_at
    );
    [[nodiscard]] static HandOver hand_over_of(std::vector<schema::PlacedJob> jobs);
    void hand_over(HandOver jobs, schema::SteadyPoint locked_at);

    const Dependencies use_;
    JobDefaults defaults_;
    DefinitionUse definitions_;
};

}  // namespace jobstrand::executor
