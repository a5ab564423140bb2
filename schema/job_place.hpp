#pragma once

#include <array>
#include <optional>
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
/// | history         | ACT_RU_HISTORY_JOB   | nobody yet; the table is kept for Flowable       |
enum class JobPlace { executable, timer, suspended, dead_letter, external_worker, history };

/// The places that hold ordinary jobs: all but history, which has other columns.
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

/// The word used in JSON, logs and on the command line: executable, timer, suspended, dead,
/// external, history.
[[nodiscard]] std::string_view name_of(JobPlace place);

/// The inverse of name_of for kJobPlaces; nullopt for any other word, `history` included.
[[nodiscard]] std::optional<JobPlace> place_named(std::string_view name);

/// Whether the jobs of one of kJobPlaces stand in the table of this name.
[[nodiscard]] bool holds_jobs(std::string_view table);

/// Only these tables have the columns LOCK_OWNER_ and LOCK_EXP_TIME_.
[[nodiscard]] bool has_lock(JobPlace place);

}  // namespace jobstrand::schema
