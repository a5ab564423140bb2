#pragma once

#include "schema/job_transition.hpp"

#include <array>
#include <optional>
#include <string_view>

/// Which moves of jobs the job log tells of.
namespace jobstrand::schema {

/// What happened to a job; the number is its JOB_STATE_, of which Camunda has the first four.
enum class JobEvent {
    created = 0,
    failed = 1,  ///< A run has failed, be it the last one.
    succeeded = 2,
    deleted = 3,      ///< Somebody has removed or replaced it.
    dead = 4,         ///< It became a dead letter without a run that failed.
    requeued = 5,     ///< It came back from the dead letters.
    interrupted = 6,  ///< Its lock has ended, because its node died or was cut off: it runs again.
};

inline constexpr std::array kJobEvents{
    JobEvent::created,
    JobEvent::failed,
    JobEvent::succeeded,
    JobEvent::deleted,
    JobEvent::dead,
    JobEvent::requeued,
    JobEvent::interrupted,
};

[[nodiscard]] std::string_view name_of(JobEvent event);

/// nullopt: there is no such name.
[[nodiscard]] std::optional<JobEvent> job_event_of(std::string_view name);

/// nullopt: the log tells nothing of such a move.
[[nodiscard]] std::optional<JobEvent> event_of(TransitionReason reason);

/// How much is logged.
enum class JobLogLevel {
    none,
    failures,  ///< What failed, died, was interrupted or deleted: a job that succeeds costs
               ///< nothing.
    full,
};

inline constexpr std::array kJobLogLevels{
    JobLogLevel::none,
    JobLogLevel::failures,
    JobLogLevel::full,
};

[[nodiscard]] std::string_view name_of(JobLogLevel level);

/// nullopt: there is no such name.
[[nodiscard]] std::optional<JobLogLevel> job_log_level_of(std::string_view name);

[[nodiscard]] bool is_logged(JobEvent event, JobLogLevel level);

/// Whether a job that became a dead letter for this reason has used up its retries, or was not to
/// be retried: what an incident is about. Not, if an operator wanted it so.
[[nodiscard]] bool is_incident(TransitionReason reason);

}  // namespace jobstrand::schema
