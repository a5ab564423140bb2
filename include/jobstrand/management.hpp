#pragma once

#include <jobstrand/change_answer.hpp>
#include <jobstrand/engine.hpp>
#include <jobstrand/history.hpp>
#include <jobstrand/job_query.hpp>
#include <jobstrand/limit.hpp>
#include <jobstrand/time.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand {

/// What is to be changed about jobs; what is left out stays.
struct JobChange {
    std::optional<int> retries = {};  ///< 0: the job is given up (a dead letter).
    std::optional<std::int64_t> priority = {};
    std::optional<TimePoint> due_date = {};   ///< A job that could run becomes a timer.
    std::optional<std::string> payload = {};  ///< Only of one job, not of all that a query means.
};

/// What dead letters get when they come back.
struct NewAttempts {
    int retries = 3;
    std::optional<TimePoint> due_date = {};  ///< Not before that.
    Duration spread{0};                      ///< Their due dates are spread evenly over this time.
    std::int64_t per_second = 0;             ///< So many at most; 0: as fast as can be.
};

/// A bulk operation that is written down, and how far it has come (docs/batches.md).
struct Batch {
    std::string id = {};
    std::string state = {};  ///< running, paused, cancelled, done.
    std::int64_t total = 0;  ///< Jobs that were meant when it began.
    std::int64_t done = 0;
    std::int64_t skipped = 0;  ///< Somebody held them, or they were changed in the meantime.
    std::int64_t refused = 0;  ///< Their id or their unique key is taken.

    bool operator==(const Batch&) const = default;
};

/// Called after each page, on the caller's thread; false: stop here, to be gone on with.
using OnProgress = std::function<bool(const Batch&)>;

/// What can be suspended as a whole.
enum class SuspendedScope {
    process_instance,
    process_definition,
    new_of_definition,  ///< New jobs of a definition; those that are there run on.
    job_definition,     ///< `DEFINITION/ELEMENT/TYPE`, see docs/definitions.md.
    new_of_job_definition,
    tenant,
};

/// What operators do with jobs, for an app that has a page of its own for it; Engine has the lists,
/// and the job definitions. docs/embedding.md has examples.
///
///     Management management(engine);
///     management.requeue_all({.place = JobPlace::dead_letter, .handler_types = {"mail"}}, {});
///
/// Throws Error; what was done before stays done. Not within a transaction of the engine
/// (std::logic_error). Thread safety: safe. The engine must outlive it; it need not run.
class Management final {
public:
    explicit Management(Engine& engine) : engine_(engine) {}
    ~Management() = default;

    Management(const Management&) = delete;
    Management& operator=(const Management&) = delete;

    // One job at a time.

    ChangeAnswer change(const std::string& id, const JobChange& change);

    /// Takes it away from whoever runs it, or before anybody does: a dead letter that says why.
    ChangeAnswer cancel(const std::string& id, const std::string& by, const std::string& reason);

    ChangeAnswer suspend_job(const std::string& id);
    ChangeAnswer activate_job(const std::string& id);

    // Many jobs, as batches: each is changed exactly once, whatever dies in between. The page and
    // the order of the query are of no meaning.

    /// Precondition: the place is dead_letter.
    Batch requeue_all(
        const JobQuery& query,
        const NewAttempts& attempts,
        const OnProgress& on_progress = {}
    );
    Batch remove_all(const JobQuery& query, const OnProgress& on_progress = {});
    Batch
    change_all(const JobQuery& query, const JobChange& change, const OnProgress& on_progress = {});

    /// Goes on with one that was interrupted or paused. nullopt: there is none.
    std::optional<Batch> resume_batch(std::string_view id, const OnProgress& on_progress = {});
    std::optional<Batch> pause_batch(std::string_view id);
    std::optional<Batch> cancel_batch(std::string_view id);
    [[nodiscard]] std::optional<Batch> find_batch(std::string_view id);

    // Whole scopes.

    /// Returns how many jobs moved. What comes later lands suspended too. Nothing of it runs from
    /// the first moment on; moving many jobs takes its time, so that others keep most of their
    /// rate.
    std::int64_t suspend(SuspendedScope scope, const std::string& id);
    std::int64_t activate(SuspendedScope scope, const std::string& id);

    // Incidents.

    /// Open ones in the order of their jobs' ids, behind such an id; resolved ones the latest
    /// first, behind an incident's id.
    [[nodiscard]] std::vector<Incident>
    incidents(const IncidentQuery& query, const std::string& behind = {}, std::size_t limit = 100);

    /// Sets the note of the open incident of a job; an empty text removes it.
    ChangeAnswer annotate_incident(const std::string& job, const std::string& text);

    /// Its dead letter stays.
    ChangeAnswer resolve_incident(const std::string& job);

    // Limits. Nodes, this one too, hear of them when they next renew their lease.

    /// Sets one, or all of its numbers anew. Throws std::invalid_argument, one sentence that says
    /// what is wrong with it.
    void set_limit(const JobLimit& limit);

    /// Lists them in the order of their names.
    [[nodiscard]] std::vector<StoredLimit> limits();

    /// What waits for it runs.
    ChangeAnswer remove_limit(const std::string& name);

private:
    Engine& engine_;
};

}  // namespace jobstrand
