#pragma once

#include "schema/job_transition.hpp"
#include "schema/time.hpp"

#include <jobstrand/history.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace jobstrand {

/// none, failures, full.
[[nodiscard]] std::string_view name_of(JobLogLevel level);

}  // namespace jobstrand

/// Which moves of jobs the job log tells of, what is kept of their past, and what a run tells of
/// itself.
namespace jobstrand::schema {

/// The number of an event is its JOB_STATE_, of which Camunda has the first four.
using jobstrand::JobEvent;
static_assert(static_cast<int>(JobEvent::created) == 0);
static_assert(static_cast<int>(JobEvent::failed) == 1);
static_assert(static_cast<int>(JobEvent::succeeded) == 2);
static_assert(static_cast<int>(JobEvent::deleted) == 3);
static_assert(static_cast<int>(JobEvent::dead) == 4);
static_assert(static_cast<int>(JobEvent::requeued) == 5);
static_assert(static_cast<int>(JobEvent::interrupted) == 6);

inline constexpr std::array kJobEvents{
    JobEvent::created,
    JobEvent::failed,
    JobEvent::succeeded,
    JobEvent::deleted,
    JobEvent::dead,
    JobEvent::requeued,
    JobEvent::interrupted,
};

using jobstrand::name_of;

/// nullopt: there is no such name.
[[nodiscard]] std::optional<JobEvent> job_event_of(std::string_view name);

/// nullopt: the log tells nothing of such a move.
[[nodiscard]] std::optional<JobEvent> event_of(TransitionReason reason);

using jobstrand::JobLogLevel;

inline constexpr std::array kJobLogLevels{
    JobLogLevel::none,
    JobLogLevel::failures,
    JobLogLevel::full,
};

/// nullopt: there is no such name.
[[nodiscard]] std::optional<JobLogLevel> job_log_level_of(std::string_view name);

[[nodiscard]] bool is_logged(JobEvent event, JobLogLevel level);

/// Whether a job that became a dead letter for this reason has used up its retries, or was not to
/// be retried: what an incident is about. Not, if an operator wanted it so.
[[nodiscard]] bool is_incident(TransitionReason reason);

/// What is kept of the past of jobs.
struct HistoryRules {
    JobLogLevel job_log = JobLogLevel::failures;
    bool incidents = true;  ///< Each dead letter opens one (R065, R066).
    /// The target of `http` jobs that report new incidents; empty: none.
    std::string incident_target = {};
};

/// When the job log and resolved incidents are forgotten.
struct HistoryRetention {
    bool is_enabled = true;  ///< false: this node forgets nothing, others may.
    /// What is older is removed. 0 to 100 years; 0: nothing is for its age.
    Duration age{std::chrono::hours(24 * 30)};
    std::int64_t rows = 1'000'000;  ///< Of the log, the latest that are kept. 0: all.
    /// Of each handler type, the last runs that succeeded which are kept. 0: this node tells of
    /// none.
    std::int64_t runs = 100;
    Duration runs_age{std::chrono::hours(24 * 7)};  ///< As `age`; of the last runs.
    /// From and to which time of the day it is done (see DayWindow); empty: always.
    std::string window_start = {};
    std::string window_end = {};
    /// A node that does not take jobs of this priority leaves it to others (R055).
    std::int64_t priority = 0;

    bool operator==(const HistoryRetention&) const = default;
};

/// What a run that is under way has told of itself so far; the public one is what it tells at once.
struct RunNews {
    static constexpr std::size_t kNoteLength = 255;      ///< In characters.
    static constexpr std::size_t kBytesOfLines = 8'192;  ///< More would be a log, which belongs
    static constexpr std::size_t kLines = 100;           ///< elsewhere.

    std::optional<double> progress = {};  ///< From 0 to 1; nullopt: it has not said.
    std::string note = {};                ///< What it does just now.
    std::string lines = {};  ///< The last ones, each with its end but perhaps the last.

    bool operator==(const RunNews&) const = default;

    /// Both are cut to what may be stored, and each byte that may not stand there is replaced.
    void set_note(std::string_view text);
    void add_text(std::string_view text);

    /// The note, or else the last line that is not empty.
    [[nodiscard]] std::string last_word() const;
};

}  // namespace jobstrand::schema
