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
