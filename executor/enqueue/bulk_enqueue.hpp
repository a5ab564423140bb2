#pragma once

#include "executor/enqueue/job_producer.hpp"
#include "executor/enqueue/new_job.hpp"
#include "persistence/enqueuer_store.hpp"
#include "persistence/series_store.hpp"
#include "schema/uuid7.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <unordered_set>
#include <vector>

namespace jobstrand::executor {

/// What a new job wants and cannot have: its id, its unique key, or the key of its series.
struct TakenName {
    bool is_series = false;
    std::string name;
    std::string why = {};  ///< Of a unique key: one sentence that says who has it.
};

/// The ids and the keys of series that a list of new jobs uses up.
class NewNames final {
public:
    /// nullopt: the job's are new. Else what an earlier job of the list has.
    [[nodiscard]] std::optional<TakenName> add(const NewJob& job);

private:
    std::unordered_set<std::string> ids_;
    std::unordered_set<std::string> keys_;
};

/// After a duplicate key: what is stored already; nullopt: neither of the two.
[[nodiscard]] std::optional<TakenName> find_taken(
    persistence::EnqueuerStore& store,
    persistence::SeriesStore& series_store,
    const NewJob& job
);

/// One of many new jobs, with what its source calls it by: the number of a line.
struct NumberedJob {
    std::int64_t number = 0;
    NewJob job;
};

/// Where many new jobs come from. It may hold more of them than the memory does.
class NewJobSource {
public:
    virtual ~NewJobSource() = default;

    /// Back to the first job.
    virtual void rewind() = 0;

    /// nullopt: the end.
    [[nodiscard]] virtual std::optional<NumberedJob> next() = 0;
};

/// A source did not have as many jobs as it was said to have.
class SourceChanged final : public std::runtime_error {
public:
    SourceChanged() : runtime_error("the source of the jobs was changed while it was read") {}
};

/// New jobs that were stored suspended, by what they belong to.
struct SuspendedNewJobs {
    schema::Job like;  ///< Has their instance, definition and series, and no more.
    std::int64_t jobs = 0;
};

/// What became of many new jobs.
struct EnqueueCounts {
    std::int64_t added = 0;
    std::int64_t kept_out = 0;  ///< Not added, because another job has their unique key.
    std::int64_t replaced = 0;  ///< Jobs that made room for those with their keys.

    void add(const schema::Enqueued& job) {
        added += job.is_added ? 1 : 0;
        kept_out += job.is_added ? 0 : 1;
        replaced += job.replaced.empty() ? 0 : 1;
    }
};

/// Callbacks that watch an enqueueing of many jobs. Each may be empty.
struct EnqueueWatch {
    /// Called after each page, with the number of jobs so far.
    std::function<void(std::int64_t jobs)> on_page = {};

    /// A job was left out, because its id, its unique key or the key of its series is taken.
    std::function<void(std::int64_t number, const TakenName& taken)> on_taken = {};

    /// Called once at the end, if any job was stored suspended. Jobs that belong to nothing count
    /// those for which there was no room to be told apart.
    std::function<void(const std::vector<SuspendedNewJobs>&)> on_suspended = {};
};

/// Enqueues jobs of which some may begin series; many of them page by page.
///
/// Throws what JobProducer throws, KeyHeld too. Thread safety: none. Everything passed in must
/// outlive it.
class BulkEnqueue final {
public:
    /// Both faces of one store.
    struct Stores {
        persistence::EnqueuerStore& jobs;
        persistence::SeriesStore& series;
    };

    /// `ids`: for jobs that repeat and have none.
    BulkEnqueue(Stores stores, JobProducer& producer, schema::FreshIds& ids)
        : stores_(stores), producer_(producer), ids_(ids) {}

    /// The id of a job that repeats is that of its first turn.
    schema::Enqueued enqueue(NewJob job);

    /// Enqueues all jobs or none. Returns the result of each, in order.
    std::vector<schema::Enqueued>
    enqueue_all(std::vector<NewJob> jobs, const EnqueueWatch& watch = {});

    /// Enqueues in the caller's transaction. When that begins anew it is to be called again; each
    /// job must have an id then, or gets a new one each time.
    std::vector<schema::Enqueued>
    enqueue_all(persistence::Transaction& transaction, std::vector<NewJob> jobs);

    /// Enqueues all jobs of the source or none, in one transaction. Reads the source anew when the
    /// transaction has to be repeated. Throws SourceChanged unless there were `expected`.
    EnqueueCounts
    import_all(NewJobSource& source, std::int64_t expected, const EnqueueWatch& watch = {});

    /// Each that can be, each page in one transaction.
    EnqueueCounts import_each(NewJobSource& source, const EnqueueWatch& watch = {});

    [[nodiscard]] std::optional<TakenName> find_taken(const NewJob& job);

private:
    /// Jobs that were stored suspended.
    class Suspended;

    schema::Enqueued enqueue(NewJob job, Suspended& suspended);
    std::vector<schema::Enqueued> enqueue_all(std::vector<NewJob> jobs, Suspended& suspended);
    std::vector<schema::Enqueued> enqueue_in(
        persistence::Transaction& transaction,
        std::vector<NewJob> jobs,
        Suspended& suspended
    );
    void give_id(NewJob& job);
    [[nodiscard]] std::optional<std::vector<schema::Enqueued>>
    enqueue_page(const std::vector<NumberedJob>& page, Suspended& suspended);
    [[nodiscard]] std::optional<schema::Enqueued>
    enqueue_unless_taken(const NumberedJob& one, const EnqueueWatch& watch, Suspended& suspended);

    const Stores stores_;
    JobProducer& producer_;
    schema::FreshIds& ids_;
};

}  // namespace jobstrand::executor
