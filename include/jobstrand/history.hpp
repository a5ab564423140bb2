#pragma once

#include <jobstrand/time.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand {

/// What the job log tells of; see docs/history.md.
enum class JobLogLevel {
    none,
    failures,  ///< What failed, died or was deleted.
    full,      ///< Also what was enqueued, succeeded, or was requeued.
};

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
    std::int64_t priority = 0;
    std::optional<TimePoint> due_date = {};
    std::string handler_type = {};
    std::string process_instance_id = {};
    std::string root_process_instance_id = {};
    std::string process_definition_id = {};
    std::string job_definition_id = {};
    std::string element_id = {};
    std::string execution_id = {};
    std::string tenant_id = {};
    std::string node = {};                  ///< The lock owner that held it.
    std::optional<Duration> duration = {};  ///< Of the run, where it is known.
    std::string message = {};
    std::string details = {};  ///< The end of a stack trace or output; only of a line by its id.

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

/// That a job became a dead letter, and has to be looked at. Empty texts: the job had none.
struct Incident {
    std::string id = {};  ///< Ascends with the time. Kept when it is resolved.
    std::string job = {};
    TimePoint time{};
    std::string type = {};   ///< `failedJob`, or `failedExternalTask`.
    std::string cause = {};  ///< `retries_exhausted`, `not_retryable` and the like.
    std::string message = {};
    std::string handler_type = {};
    std::string process_instance_id = {};
    std::string root_process_instance_id = {};
    std::string process_definition_id = {};
    std::string job_definition_id = {};
    std::string element_id = {};
    std::string execution_id = {};
    std::string tenant_id = {};
    std::string node = {};        ///< The lock owner that held the job.
    std::string annotation = {};  ///< What an operator has noted.

    // Only resolved ones have these.
    std::optional<TimePoint> end = {};
    std::string resolution = {};  ///< `requeued`, `removed` or `by hand`.

    /// Which called the instance of the job, down to its own caller: each has an incident too, for
    /// whoever asks by instance (IncidentQuery::process_instance_id).
    std::vector<std::string> calling_instances = {};
    std::string cause_id = {};             ///< The incident one call deeper; else its own id.
    std::string root_cause_id = {};        ///< That of the job's own instance.
    std::string cause_instance = {};       ///< Of a calling instance: whose cause_id is.
    std::string root_cause_instance = {};  ///< And whose root_cause_id is.

    bool operator==(const Incident&) const = default;
};

/// Which incidents are meant; what is empty restricts nothing.
struct IncidentQuery {
    bool is_open = true;  ///< false: resolved ones.
    std::string job = {};
    std::string handler_type = {};
    std::string process_definition_id = {};
    std::string process_instance_id = {};       ///< Also what it calls: each as its own.
    std::string root_process_instance_id = {};  ///< Those of all instances called in it.
    std::string tenant_id = {};
    std::string cause = {};
    std::optional<TimePoint> from = {};    ///< When it began; inclusive.
    std::optional<TimePoint> before = {};  ///< Exclusive.

    bool operator==(const IncidentQuery&) const = default;
};

/// Called for each new incident after the commit that opened it, on the thread that committed: one
/// of the engine's own, or that of a caller of the engine. It must neither block nor throw. A
/// process that dies in between tells nobody.
using OnIncident = std::function<void(const Incident&)>;

/// What is kept of the past of jobs.
struct HistoryOptions {
    JobLogLevel job_log = JobLogLevel::failures;
    Duration retention{std::chrono::hours(24 * 30)};  ///< 0: for ever. Resolved incidents too.
    std::int64_t max_rows = 1'000'000;                ///< Of the log, the latest. 0: any number.
    bool incidents = true;                            ///< Each dead letter opens one.
    OnIncident on_incident = {};                      ///< Empty: nobody listens.
    std::string incident_target = {};  ///< Of the service's `[targets]`: told by an `http` job.
    std::int64_t last_runs = 100;      ///< Of each handler type that succeeded. 0: none are told.
    Duration last_runs_retention{std::chrono::hours(24 * 7)};  ///< 0: for ever.

    Duration dead_letter_retention{0};      ///< Older ones are removed for good. 0: none.
    std::int64_t dead_letter_max_rows = 0;  ///< The latest that are kept. 0: any number.

    bool cleanup = true;            ///< false: this engine removes nothing of all this.
    std::string cleanup_from = {};  ///< Of the day, `20:00` (UTC) or `20:00+0200`; empty: always.
    std::string cleanup_to = {};    ///< The next day if it is earlier.
    std::int64_t cleanup_priority = 0;  ///< A scope without it leaves the removal to others.
};

}  // namespace jobstrand
