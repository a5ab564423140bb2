#pragma once

#include <jobstrand/engine.hpp>
#include <jobstrand/history.hpp>
#include <jobstrand/time.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand {

/// What happened to a job.
enum class JobEvent {
    created,
    failed,  ///< A run has failed, be it the last one.
    succeeded,
    deleted,      ///< Somebody has removed or replaced it.
    dead,         ///< It became a dead letter without a run that failed.
    requeued,     ///< It came back from the dead letters.
    interrupted,  ///< Its lock has ended, because its node died or was cut off: it runs again.
};

/// created, failed, succeeded, deleted, dead, requeued, interrupted.
[[nodiscard]] std::string_view name_of(JobEvent event);

/// A line of the job log. Empty texts and nullopt: it was not so, or the job had none.
struct JobLogLine {
    std::string id = {};  ///< Ascends with the time.
    TimePoint time{};
    JobEvent event = JobEvent::created;
    std::string reason = {};  ///< `retry`, `retries_exhausted`, `cancelled`, ...: docs/history.md.
    std::string job = {};
    std::optional<int> attempt = {};  ///< Which run it was, from 1; of `failed` and `succeeded`.
    int retries = 0;                  ///< Left afterwards.
    std::string handler_type = {};
    std::string process_instance_id = {};
    std::string process_definition_id = {};
    std::string element_id = {};
    std::string tenant_id = {};
    std::string node = {};                  ///< The lock owner that held it.
    std::optional<Duration> duration = {};  ///< Of the run, where it is known.
    std::string message = {};
    std::string details = {};  ///< Stack trace or output, the end of it; only log_line() has it.

    bool operator==(const JobLogLine&) const = default;
};

/// Which lines are meant. All that is set must match; of events one is enough. What is empty
/// restricts nothing.
struct JobLogQuery {
    std::string job = {};
    std::string handler_type = {};
    std::string process_instance_id = {};
    std::string process_definition_id = {};
    std::string element_id = {};
    std::string tenant_id = {};
    std::string node = {};
    std::string reason = {};
    std::vector<JobEvent> events = {};
    std::optional<TimePoint> from = {};    ///< Inclusive.
    std::optional<TimePoint> before = {};  ///< Exclusive.
};

/// A run that has succeeded; its job is gone.
struct FinishedRun {
    std::string id = {};  ///< Ascends with the time.
    TimePoint ended{};
    std::string job = {};
    std::string handler_type = {};
    std::string process_instance_id = {};
    std::string tenant_id = {};
    std::string node = {};  ///< The lock owner that held the job: a node, or an external worker.
    int attempt = 1;
    std::optional<Duration> waited = {};  ///< From when it could have run until it began.
    std::optional<Duration> duration = {};
    std::string message = {};  ///< What it told last.

    bool operator==(const FinishedRun&) const = default;
};

/// Which runs are meant: one of the texts of each list, and what is empty restricts nothing.
struct FinishedRunQuery {
    std::string job = {};
    std::vector<std::string> handler_types = {};
    std::vector<std::string> process_instance_ids = {};
    std::vector<std::string> tenant_ids = {};
};

/// What a run that is under way has told (JobContext::progress and log).
struct RunProgress {
    std::string node = {};                ///< The lock owner that runs it.
    TimePoint told{};                     ///< When it told something last.
    std::optional<double> progress = {};  ///< From 0 to 1; nullopt: it has not said.
    std::string note = {};                ///< What it does just now.
    std::string lines = {};               ///< The last ones of what it has put out.

    bool operator==(const RunProgress&) const = default;
};

/// What happened to jobs, as far as HistoryOptions says that it is kept (docs/history.md).
///
///     JobHistory history(engine);
///     for (const JobLogLine& line : history.log({.job = id})) {
///         ...
///     }
///
/// Throws Error. Thread safety: safe. The engine must outlive it; it need not run.
class JobHistory final {
public:
    explicit JobHistory(Engine& engine) : engine_(engine) {}

    /// The stack trace or output that the last failure of a job has left, while the job is there,
    /// in whatever place; empty: none. Its message is StoredJob::exception_message.
    [[nodiscard]] std::string failure_details(std::string_view job);

    /// The latest first, behind the line with the id `behind` (empty: from the latest), without
    /// details.
    [[nodiscard]] std::vector<JobLogLine>
    log(const JobLogQuery& query, std::string_view behind = {}, std::size_t limit = 100);

    /// With details; nullopt: there is none (any more).
    [[nodiscard]] std::optional<JobLogLine> log_line(std::string_view id);

    /// The last runs of each handler type that have succeeded, the latest first, behind the run
    /// with the id `behind` (empty: from the latest). Engines that run write them down about a
    /// second after the end, those of external workers too, and a crash may lose some. Not among
    /// them: runs by Engine::run_job.
    [[nodiscard]] std::vector<FinishedRun> finished_runs(
        const FinishedRunQuery& query = {},
        std::string_view behind = {},
        std::size_t limit = 100
    );

    /// Of the run of a job that is under way, on whatever node; about a second old. nullopt: it has
    /// told nothing, or the job does not run.
    [[nodiscard]] std::optional<RunProgress> progress(std::string_view job);

private:
    Engine& engine_;
};

}  // namespace jobstrand
