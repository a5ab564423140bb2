#pragma once

#include <jobstrand/change_answer.hpp>
#include <jobstrand/engine.hpp>
#include <jobstrand/handler.hpp>
#include <jobstrand/job.hpp>
#include <jobstrand/time.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace jobstrand {

/// The handler type of a job that takes the outcome of an external worker to the app.
inline constexpr std::string_view kWorkerOutcome = "external-worker-complete";

/// Which jobs a worker wants.
struct WorkOrder {
    std::vector<std::string> topics = {};    ///< Handler types, 1 to 100.
    std::int64_t jobs = 1;                   ///< So many at most: 1 to 10,000.
    Duration lock{std::chrono::minutes(5)};  ///< More than 0, at most 30 days.
    std::vector<std::string> tenants = {};   ///< Empty: any; an empty text: jobs without one.
    bool by_priority = false;                ///< The highest first, and not the oldest.

    /// Only jobs that name the user, or one of the groups, among their candidates
    /// (NewJob::candidate_users, NewJob::candidate_groups); nullopt: whomever they name.
    std::optional<WorkCandidate> candidate = {};
};

/// A job as its worker names it.
struct HeldWork {
    std::string id = {};

    /// Which acquisition it was, so that a worker that lost the job and got it again writes nothing
    /// of its earlier run. nullopt: whatever a worker of this name holds counts.
    std::optional<std::int64_t> fencing_token = {};

    bool operator==(const HeldWork&) const = default;
};

/// A job that a worker has acquired.
struct AcquiredWork {
    HeldWork held = {};
    StoredJob job = {};  ///< With its payload.
    TimePoint locked_until{};
};

/// The work is done.
struct WorkDone {
    /// What the app is to hear of it, any text: the job becomes one of the handler type
    /// kWorkerOutcome with its id, its instance, this payload and retries of its own. nullopt: the
    /// job ends. (What workers say over HTTP comes as JSON: docs/http.md.)
    std::optional<std::string> outcome = {};
};

/// What a worker says about a job that it holds. A failure counts an attempt: the job waits as its
/// retry cycle says and comes back to the workers, or is a dead letter.
struct WorkResult {
    HeldWork job = {};
    std::variant<WorkDone, Failed> what = {};
};

/// A worker outside of the engine, by its name, for an app that is the broker of its own: it hands
/// the jobs out by whatever way, and says what became of them. Jobs are for workers when they are
/// enqueued so (NewJob::for_external_worker); their handler type is the topic.
///
///     ExternalWorker worker(engine, "w-1");
///     for (const AcquiredWork& work : worker.acquire({.topics = {"invoice"}})) {
///         worker.complete(work.held);
///     }
///
/// The name, up to 200 characters, is all that says who holds a job: two workers must not share
/// one. Whoever makes an object of the same name, in whatever process, speaks for the same worker.
/// When a lock is over, the next acquisition gets the job and no retry is used; until then its
/// worker may still say what became of it, but for an exclusive job of an instance.
///
/// Errors: Error; std::invalid_argument for what cannot be meant, which names things as HTTP does
/// (`lockDuration`), and nothing was changed; std::logic_error within a transaction of the engine.
/// Thread safety: safe. The engine must outlive it; it need not run.
class ExternalWorker final {
public:
    ExternalWorker(Engine& engine, std::string name);

    /// Free jobs, the oldest first, locked for the worker from now on. Fewer than were asked for
    /// when there are no more, or their payloads have 16 MiB together. Does not wait for any: see
    /// Engine::on_external_jobs.
    [[nodiscard]] std::vector<AcquiredWork> acquire(const WorkOrder& order);

    /// The answers are in the order of the results, up to 10,000; of two about one job the first
    /// counts. Each page of 1,000 is a transaction.
    std::vector<WorkAnswer> finish(const std::vector<WorkResult>& results);
    WorkAnswer complete(const HeldWork& job, std::optional<std::string> outcome = {});
    WorkAnswer fail(const HeldWork& job, Failed failure);

    /// The locks end so long after now. Up to 10,000 jobs.
    std::vector<WorkAnswer> extend(const std::vector<HeldWork>& jobs, Duration lock);

    /// They are free again at once, and no retry is used. Up to 10,000 jobs.
    std::vector<WorkAnswer> give_back(const std::vector<HeldWork>& jobs);

    /// All that the worker holds. Returns how many there were.
    std::int64_t give_back_all();

private:
    Engine& engine_;
    const std::string name_;
};

}  // namespace jobstrand
