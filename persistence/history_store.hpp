#pragma once

#include "persistence/transactions.hpp"
#include "schema/job_events.hpp"
#include "schema/time.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

// The past of jobs, one line for each thing that happened to one of them.

/// A line of the job log, one field per column. The public one has what concerns an app. Empty
/// texts and nullopt: it was not so, or the job had none.
struct JobLogLine {
    std::string id = {};  ///< Ascends with the time.
    schema::TimePoint time{};
    schema::JobEvent event = schema::JobEvent::created;
    std::string reason = {};  ///< Name of a schema::TransitionReason, `enqueued` or `replaced`.
    std::string job = {};
    std::optional<int> attempt = {};  ///< Which run it was, from 1; of `failed` and `succeeded`.
    int retries = 0;                  ///< Left afterwards.
    std::int64_t priority = 0;
    std::optional<schema::TimePoint> due_date = {};
    std::string handler_type = {};
    std::string definition = {};
    std::string job_definition = {};
    std::string element = {};
    std::string execution = {};
    std::string root_instance = {};
    std::string instance = {};
    std::string tenant = {};
    std::string node = {};                          ///< The lock owner that held it.
    std::optional<schema::Duration> duration = {};  ///< Of the run, where it is known.
    std::string message = {};
    std::string details = {};  ///< The end of a stack trace or output; only find_log_line() has it.

    bool operator==(const JobLogLine&) const = default;
};

/// What may be forgotten.
struct JobLogBounds {
    schema::TimePoint before{};          ///< Lines from before that.
    std::optional<std::int64_t> rows{};  ///< And all but the latest so many.
    std::size_t page = 500;              ///< Most lines in one transaction.
};

/// What came of cleaning a page.
struct JobLogCleaning {
    std::int64_t removed = 0;
    bool is_more = false;  ///< There may be more to remove.
};

/// Of a job whose retries are used up; `failedExternalTask` of an external one.
inline constexpr std::string_view kFailedJob = "failedJob";
inline constexpr std::string_view kFailedExternalTask = "failedExternalTask";

/// How an incident ended.
enum class IncidentEnd {
    requeued,  ///< Its dead letter was.
    removed,   ///< Its dead letter was.
    by_hand,   ///< Somebody has resolved it, and left the dead letter where it is.
};

[[nodiscard]] std::string_view name_of(IncidentEnd end);

/// That a job became a dead letter, and has to be looked at, one field per column; the public one
/// has what concerns an app, and lists. There is at most one open one of a job, which is named by
/// the job's id.
struct Incident {
    std::string id = {};  ///< Ascends with the time. Kept when it is resolved.
    std::string job = {};
    schema::TimePoint time{};
    std::string type = {};
    std::string cause = {};  ///< Name of the schema::TransitionReason.
    std::string message = {};
    std::string handler_type = {};
    std::string definition = {};
    std::string job_definition = {};
    std::string element = {};
    std::string execution = {};
    std::string instance = {};
    std::string root_instance = {};      ///< That of the hierarchy that the instance is called in.
    std::string calling_instances = {};  ///< See schema::Job.
    std::string tenant = {};
    std::string node = {};        ///< The lock owner that held the job.
    std::string annotation = {};  ///< What an operator has noted.

    // Only resolved ones have these.
    std::optional<schema::TimePoint> end = {};
    std::string resolution = {};  ///< Name of an IncidentEnd.

    // Only read: where it comes from. An incident of the job's own instance is its own cause.
    std::string cause_id = {};       ///< That of the instance one call deeper.
    std::string root_cause_id = {};  ///< That of the job's own instance.

    // Only those of calling instances have these.
    std::string cause_instance = {};       ///< Whose cause_id is.
    std::string root_cause_instance = {};  ///< Whose root_cause_id is.

    bool operator==(const Incident&) const = default;
};

/// Told of each new incident after the commit, on the thread that committed: it must not block, and
/// not throw. A process that dies in between tells nobody.
using OnIncident = std::function<void(const Incident&)>;

/// Which incidents are meant; what is empty restricts nothing. The public IncidentQuery has what
/// apps ask for.
struct IncidentFilter {
    bool is_open = true;  ///< false: the resolved ones.
    std::string job = {};
    std::string handler_type = {};
    std::string definition = {};
    /// Also those of instances that it has called, each as its own incident (see calling_incident).
    std::string instance = {};
    std::string root_instance = {};
    std::string cause = {};
    std::string tenant = {};
    std::optional<schema::TimePoint> after = {};   ///< When it began; inclusive.
    std::optional<schema::TimePoint> before = {};  ///< Exclusive.

    bool operator==(const IncidentFilter&) const = default;
};

/// The past of jobs: the log, and incidents. Both are written by the moves themselves, in their
/// transactions, so that they tell neither more nor less than what was done.
class HistoryStore {
public:
    virtual ~HistoryStore() = default;

    /// The latest first, those that are older than `behind` (an id; empty: all), without details.
    [[nodiscard]] virtual std::vector<JobLogLine>
    job_log(const JobLogQuery& filter, std::string_view behind, std::size_t limit) = 0;

    /// Finds one line, with its details.
    [[nodiscard]] virtual std::optional<JobLogLine> find_log_line(std::string_view id) = 0;

    /// Removes the oldest lines, a page in one transaction. A line that another node is removing is
    /// left to it, so that nobody waits.
    virtual JobLogCleaning clean_job_log(const JobLogBounds& bounds) = 0;

    /// Open ones in the order of their jobs' ids, behind such an id; resolved ones the latest
    /// first, those that are older than the incident `behind`.
    [[nodiscard]] virtual std::vector<Incident>
    incidents(const IncidentFilter& filter, std::string_view behind, std::size_t limit) = 0;

    [[nodiscard]] virtual std::int64_t count_open_incidents() = 0;

    /// Sets the note of the open incidents of these jobs. An empty text removes it.
    [[nodiscard]] virtual std::vector<JobAnswer>
    annotate_incidents(std::span<const std::string> jobs, std::string_view text) = 0;

    /// Their dead letters stay.
    [[nodiscard]] virtual std::vector<JobAnswer>
    resolve_incidents(std::span<const std::string> jobs, schema::TimePoint now) = 0;

    /// Resolved incidents that began before a time, a page of them. As clean_job_log().
    virtual JobLogCleaning clean_incidents(const JobLogBounds& bounds) = 0;
};

}  // namespace jobstrand::persistence
