#pragma once

#include "schema/time.hpp"

#include <jobstrand/job.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace jobstrand::schema {

/// A table is a state: the place of a job is the table that its row stands in.
///
/// | place           | table                | who takes a job out                              |
/// |-----------------|----------------------|--------------------------------------------------|
/// | executable      | ACT_RU_JOB           | acquisition, or the hand-off right after commit  |
/// | timer           | ACT_RU_TIMER_JOB     | the timer mover, when it is due                  |
/// | suspended       | ACT_RU_SUSPENDED_JOB | activation of its instance or definition         |
/// | dead_letter     | ACT_RU_DEADLETTER_JOB| an operator                                      |
/// | external_worker | ACT_RU_EXTERNAL_JOB  | a worker's acquire call                          |
using jobstrand::JobPlace;

inline constexpr std::array kJobPlaces{
    JobPlace::executable,
    JobPlace::timer,
    JobPlace::suspended,
    JobPlace::dead_letter,
    JobPlace::external_worker,
};

/// The places in which a job waits in vain while its instance, definition or series is suspended:
/// suspension takes jobs out of them, and keeps others from going there.
inline constexpr std::array kSuspendablePlaces{
    JobPlace::executable,
    JobPlace::timer,
    JobPlace::external_worker,
};

[[nodiscard]] bool can_be_suspended(JobPlace place);

[[nodiscard]] std::string_view table_of(JobPlace place);

/// The word used in JSON, logs and on the command line.
using jobstrand::name_of;

/// The inverse of name_of; nullopt for any other word.
[[nodiscard]] std::optional<JobPlace> place_named(std::string_view name);

/// Whether the jobs of a place stand in the table of this name.
[[nodiscard]] bool holds_jobs(std::string_view table);

/// Only these tables have the columns LOCK_OWNER_ and LOCK_EXP_TIME_.
[[nodiscard]] bool has_lock(JobPlace place);

/// The values of TYPE_ that Flowable uses; the type says where a job goes back to.
inline constexpr std::string_view kMessageType = "message";
inline constexpr std::string_view kTimerType = "timer";
inline constexpr std::string_view kExternalWorkerType = "externalWorker";

/// SCOPE_TYPE_ of the rows that we make. Of all that a row can have it is the one mark under which
/// a Flowable engine, unless its jobExecutionScope is `all`, leaves it alone.
inline constexpr std::string_view kOurScope = "jobstrand";

/// The handler type of what an external worker hands on to the app; Flowable's.
inline constexpr std::string_view kWorkerOutcomeType = "external-worker-complete";

/// Attempts that a job has when neither it nor a retry cycle says otherwise (R166).
inline constexpr int kDefaultRetries = 3;

/// One unit of work: one row in exactly one job table. One field per column, in column order; the
/// first 27 are Flowable's, the rest ours. An empty text stands for NULL. The tables of suspended
/// jobs and dead letters lack the lock columns, dead letters lack retries too (they read as 0).
/// The public NewJob and StoredJob are what an app says and sees of it, with lists.
struct Job {
    /// Unique over all tables, kept through every move. UUIDv7 if we made it.
    std::string id = {};
    /// REV_: raised by every change but a lock renewal; the fence of all writes.
    int revision = 1;
    std::string category = {};
    std::string type{kMessageType};
    std::optional<TimePoint> lock_expiration = {};
    std::string lock_owner = {};  ///< Empty: free.
    bool exclusive = true;
    std::string execution_id = {};
    std::string process_instance_id = {};
    std::string process_definition_id = {};
    std::string element_id = {};
    std::string element_name = {};
    std::string scope_id = {};
    std::string sub_scope_id = {};
    std::string scope_type{kOurScope};  ///< Empty: of a process of Flowable.
    std::string scope_definition_id = {};
    std::string correlation_id = {};  ///< Given once, never changed: the handle for callers.
    int retries = kDefaultRetries;    ///< Attempts left, the next one included.
    /// Row of ACT_GE_BYTEARRAY with the last stack trace or output.
    std::string exception_stack_id = {};
    std::string exception_message = {};
    std::optional<TimePoint> due_date = {};
    /// Only the turn that carries its series on has one (see Series): its text, with the turns
    /// left.
    std::string repeat = {};
    std::string handler_type = {};
    /// HANDLER_CFG_, or the bytes behind custom_values_id if that is set.
    std::string payload = {};
    /// Row of ACT_GE_BYTEARRAY with a payload too long for HANDLER_CFG_.
    std::string custom_values_id = {};
    std::optional<TimePoint> create_time = {};
    std::string tenant_id = {};

    std::int64_t priority = 0;  ///< Larger is more important (R012).
    std::string root_process_instance_id = {};
    std::string deployment_id = {};
    std::string job_definition_id = {};
    /// `R3/PT1S` or `PT1S,PT5S`; empty: the configured default applies.
    std::string retry_cycle = {};
    int attempts = 0;                 ///< Runs that have failed so far.
    std::string suspended_from = {};  ///< Name of the place that a suspended job came from.
    std::string series = {};          ///< The key of the series that it is a turn of.

    // Only executable jobs have these: a job that goes elsewhere and comes back begins anew.

    /// What a node needs for it beside a handler of its type, once a node has read that and lacks
    /// it: of a `command` job, the command.
    std::string needs = {};
    /// Starts that have not ended as far as anybody knows, since a node died that held the job.
    int lost_starts = 0;

    /// When it became a dead letter, which is the only place that has it. None: Flowable, or an
    /// older version of ours, moved it there.
    std::optional<TimePoint> failed_time = {};

    /// No other job with this key is added (see schema/unique_key.hpp); empty: none.
    std::string unique_key = {};

    /// The `traceparent` of what caused it (see schema/text/trace_parent.hpp); empty: not said.
    std::string trace_parent = {};

    /// The instances that called the one of the job: from the first that the root called down to
    /// its own caller. A list of names (see schema/text/column_text.hpp), as the next two are.
    std::string calling_instances = {};

    // Only of external workers; an executable job is none.

    std::string candidate_users = {};   ///< Who may have it (see persistence::WantedJobs).
    std::string candidate_groups = {};  ///< Or is in one of these.

    /// In no column: the row of JS_CLAIM that names the job with the others of its page; 0: none
    /// does, and lock_owner is what its own row says.
    std::int64_t claim = 0;

    bool operator==(const Job&) const = default;
};

/// A job together with the table it stands in.
struct PlacedJob {
    JobPlace place = JobPlace::executable;
    Job job;

    bool operator==(const PlacedJob&) const = default;
};

/// Where a new job goes: external worker jobs to their table, a due date after `now` makes a timer,
/// and everything else can run now.
[[nodiscard]] inline JobPlace place_of_new(const Job& job, TimePoint now) {
    if (job.due_date && *job.due_date > now) {
        return JobPlace::timer;
    }
    return job.type == kExternalWorkerType ? JobPlace::external_worker : JobPlace::executable;
}

}  // namespace jobstrand::schema
