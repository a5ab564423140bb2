#include "schema/history/day_window.hpp"
#include "tools/settings/setting_table.hpp"

namespace jobstrand::cli {

namespace {

template <auto Member>
[[nodiscard]] auto& in_history(Settings& settings) {
    return settings.executor.history.*Member;
}

template <auto Member>
[[nodiscard]] auto& in_retention(Settings& settings) {
    return settings.executor.history_retention.*Member;
}

template <auto Member>
[[nodiscard]] auto& of_dead_letters(Settings& settings) {
    return settings.policies.retention.*Member;
}

[[nodiscard]] std::string problem_of_time(std::string_view text) {
    return text.empty() || schema::parse_time_of_day(text)
               ? std::string()
               : "must be a time of the day such as 20:00, in UTC, or 20:00+0200";
}

constexpr std::int64_t kRetentionMost = schema::Duration(std::chrono::hours(24 * 36'500)).count();
constexpr std::int64_t kTimeLength = 16;
constexpr std::int64_t kTargetLength = 255;

constexpr std::array kHistorySettings{
    Setting{
        .name = "jobLog",
        .unit = Unit::text,
        .field = &in_history<&schema::HistoryRules::job_log>,
        .meaning = "What the job log tells: `none`; `failures`: attempts that failed, jobs that "
                   "died or were deleted; `full`: also those that were enqueued, succeeded or were "
                   "requeued.",
    },
    Setting{
        .name = "jobLogRetention",
        .unit = Unit::milliseconds,
        .field = &in_retention<&schema::HistoryRetention::age>,
        .most = kRetentionMost,
        .meaning = "Lines of the job log, and resolved incidents, that are older are removed; 0: "
                   "none are for their age.",
    },
    Setting{
        .name = "jobLogMaxRows",
        .field = &in_retention<&schema::HistoryRetention::rows>,
        .meaning = "Only so many lines of the job log are kept, the latest; 0: any number.",
    },
    Setting{
        .name = "lastRuns",
        .field = &in_retention<&schema::HistoryRetention::runs>,
        .meaning = "Of each handler type, so many of the last runs that succeeded are kept "
                   "(`jobstrand job ls --place done`); 0: this process tells of none.",
    },
    Setting{
        .name = "lastRunsRetention",
        .unit = Unit::milliseconds,
        .field = &in_retention<&schema::HistoryRetention::runs_age>,
        .most = kRetentionMost,
        .meaning = "Those that are older are removed; 0: none are for their age.",
    },
    Setting{
        .name = "deadLetterRetention",
        .unit = Unit::milliseconds,
        .field = &of_dead_letters<&deadletter::DeadLetterRetention::age>,
        .most = kRetentionMost,
        .meaning = "What became a dead letter longer ago is removed for good; 0: nothing is for "
                   "its age.",
    },
    Setting{
        .name = "deadLetterMaxRows",
        .field = &of_dead_letters<&deadletter::DeadLetterRetention::rows>,
        .meaning = "Only so many dead letters are kept, the latest; 0: any number.",
    },
    Setting{
        .name = "historyCleanupEnabled",
        .unit = Unit::flag,
        .field = &in_retention<&schema::HistoryRetention::is_enabled>,
        .meaning = "`false`: this process removes nothing of the past.",
        .aliases = {{{"enableHistoryCleaning", Unit::flag}}},
    },
    Setting{
        .name = "historyCleanupBatchWindowStartTime",
        .unit = Unit::text,
        .field = &in_retention<&schema::HistoryRetention::window_start>,
        .most = kTimeLength,
        .meaning = "From which time of the day on the past is removed, such as `20:00` (UTC) or "
                   "`20:00+0200`; empty, and the end too: at any time.",
        .problem_of_text = problem_of_time,
    },
    Setting{
        .name = "historyCleanupBatchWindowEndTime",
        .unit = Unit::text,
        .field = &in_retention<&schema::HistoryRetention::window_end>,
        .most = kTimeLength,
        .meaning = "And to which time, that of the next day if it is earlier.",
        .problem_of_text = problem_of_time,
    },
    Setting{
        .name = "historyCleanupJobPriority",
        .field = &in_retention<&schema::HistoryRetention::priority>,
        .least = std::numeric_limits<std::int64_t>::min(),
        .meaning = "A process whose `priorityRangeMin` and `priorityRangeMax` leave this priority "
                   "out leaves the removal to others.",
    },
    Setting{
        .name = "incidents",
        .unit = Unit::flag,
        .field = &in_history<&schema::HistoryRules::incidents>,
        .meaning = "A job that becomes a dead letter opens an incident; `false`: none are written, "
                   "and none are resolved.",
        .aliases = {{{"createIncidentOnFailedJobEnabled", Unit::flag}}},
    },
    Setting{
        .name = "incidentTarget",
        .unit = Unit::text,
        .field = &in_history<&schema::HistoryRules::incident_target>,
        .most = kTargetLength,
        .meaning = "One of `[targets]`: each new incident is told to it, by an `http` job that is "
                   "enqueued in the same transaction. Empty: none.",
    },
};

}  // namespace

std::span<const Setting> history_settings() {
    return kHistorySettings;
}

}  // namespace jobstrand::cli
