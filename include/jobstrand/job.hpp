#pragma once

#include <jobstrand/time.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand {

/// What becomes of a new job whose unique key another job has.
enum class OnDuplicate {
    reject,   ///< Error duplicate_key, which says who has it; nothing is enqueued.
    keep,     ///< Nothing is added: the job that has the key will do.
    replace,  ///< The job that has the key makes room if it waits; else as reject.
};

/// What to enqueue. Only the handler type is necessary.
///
///     engine.enqueue({.handler_type = "send-invoice", .payload = R"({"order":17})"});
///
/// Lengths: ids up to 64 characters, other texts up to 255, the payload up to 8 MiB; a list has up
/// to 100 names and 1,000 characters.
struct NewJob {
    std::string handler_type = {};           ///< Which handler runs it.
    std::string payload = {};                ///< What the handler needs to know; JSON by custom.
    std::optional<TimePoint> due_date = {};  ///< When it may run; nullopt: at once.
    std::string due = {};          ///< The same in words, `3 business days`: any timer text.
    std::string due_zone = "UTC";  ///< On whose wall clock `due` is read, by IANA name.
    std::string due_calendar =
        {};                     ///< Which business days count in `due`; empty: Monday to Friday.
    std::int64_t priority = 0;  ///< Larger is more important.
    std::optional<int> retries = {};  ///< Attempts, the first one included.
    std::string retry_cycle = {};     ///< `R5/PT5M` or `PT1M,PT10M`.
    std::string repeat = {};          ///< As NewSeries::repeat: a series with defaults.
    std::string unique_key = {};      ///< No other job has it while this one is open; any text.
    OnDuplicate on_duplicate = OnDuplicate::reject;
    std::optional<Duration> unique_for = {};  ///< For so long instead, whatever becomes of the job.
    std::string correlation_id = {};          ///< Kept for ever; empty: the id.
    std::string trace_parent = {};            ///< `traceparent` of W3C Trace Context.
    std::string process_instance_id = {};     ///< Suspended and activated as a whole.
    std::string root_process_instance_id = {};
    /// Which call its instance, from the first that the root calls down to its own caller: an
    /// incident of the job is one of each of them too.
    std::vector<std::string> calling_instances = {};
    std::string process_definition_id = {};
    std::string execution_id = {};
    std::string element_id = {};
    std::string element_name = {};
    std::string category = {};
    std::string tenant_id = {};
    bool exclusive = true;
    bool for_external_worker = false;               ///< Pulled by a worker, not run by a node.
    std::vector<std::string> candidate_users = {};  ///< Of a worker's: see WorkOrder::candidate.
    std::vector<std::string> candidate_groups = {};
    std::string scope_id = {};
    std::string sub_scope_id = {};
    std::string scope_type = {};  ///< Empty: ours.
    std::string scope_definition_id = {};
    std::string deployment_id = {};
    std::string job_definition_id = {};
    std::string id = {};  ///< Unique for ever; empty: one is made, which is faster.

    bool operator==(const NewJob&) const = default;
};

/// What repeats: a job like `turn` runs whenever `repeat` says.
///
///     engine.start_series({
///         .turn = {.handler_type = "send-report"},
///         .repeat = "0 0 2 * * ?",
///         .zone = "Europe/Berlin",
///         .key = "nightly-report",
///     });
///
/// docs/timers.md describes the texts and the rules.
struct NewSeries {
    NewJob turn = {};         ///< Its due date: that of the first turn.
    std::string repeat = {};  ///< See docs/timers.md: `R/PT1H`, a cron text, `every 1h`.
    std::string zone = "UTC";
    std::string key = {};  ///< Unique; empty: the id of the first turn.
    std::string group = "DEFAULT";
    std::string description = {};
    std::string dst_rule = "quartz";  ///< quartz, run-once.
    std::string calendar = {};        ///< Name of a calendar with days to leave out.
    std::string misfire = {};         ///< What becomes of a turn that is late.
    std::optional<Duration> misfire_threshold = {};
    std::optional<TimePoint> start = {};
    std::optional<TimePoint> end = {};
    bool overlap = true;               ///< false: a turn waits for the one before.
    bool keep_data = false;            ///< A turn may hand its payload on.
    bool recovery = true;              ///< false: a turn of a dead node is not run again.
    bool stop_on_dead_letter = false;  ///< A dead letter pauses the series.

    bool operator==(const NewSeries&) const = default;
};

/// What a series does now.
enum class SeriesState {
    waiting,  ///< For the due date of its next turn.
    running,  ///< Only without overlap: the next turn follows when this one has ended.
    paused,   ///< It was, or its group.
    ended,    ///< There is no further turn.
};

/// waiting, running, paused, ended.
[[nodiscard]] std::string_view name_of(SeriesState state);

/// What became of a new job with a unique key.
struct Enqueued {
    std::string id;             ///< Of the new job, or of the one that was kept.
    bool is_added = true;       ///< false: another job has its key, and was kept.
    std::string replaced = {};  ///< The job that made room for it, and is gone.

    bool operator==(const Enqueued&) const = default;
};

/// Where a job stands: each place is a table.
enum class JobPlace { executable, timer, suspended, dead_letter, external_worker };

/// executable, timer, suspended, dead, external.
[[nodiscard]] std::string_view name_of(JobPlace place);

/// For whom a worker asks, as Flowable's forUserOrGroups: at least one of them is given.
struct WorkCandidate {
    std::string user = {};
    std::vector<std::string> groups = {};  ///< Up to 100, of which the user is a member.
};

/// A job as it is in the database. `retries` are the attempts left, and always there.
struct StoredJob : NewJob {
    JobPlace place = JobPlace::executable;
    int attempts = 0;                    ///< Runs that have failed so far.
    std::string exception_message = {};  ///< Of the last failure.
    std::string series = {};             ///< The key of the series that it is a turn of.
    std::string lock_owner = {};         ///< Empty: nobody runs it.
    std::optional<TimePoint> create_time = {};

    bool operator==(const StoredJob&) const = default;
};

}  // namespace jobstrand
