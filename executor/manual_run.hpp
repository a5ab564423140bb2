#pragma once

#include "executor/job_handler.hpp"
#include "executor/job_runner.hpp"
#include "schema/concurrency.hpp"

#include <jobstrand/change_answer.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace jobstrand::executor {

using ManualRunAnswer = RunAnswer;

/// What came of running one job by hand.
struct ManualRunResult {
    ManualRunAnswer answer = ManualRunAnswer::not_found;

    /// nullopt although done: a transactional success.
    std::optional<schema::Transition> transition = {};
};

/// Runs one executable job now, in the calling thread, without an executor (R006): locks it as any
/// node would (a locked job is refused, and one whose group
/// of exclusive jobs somebody holds), renews the lock while it runs, and writes the outcome like
/// any other.
///
/// Throws DbError.
[[nodiscard]] ManualRunResult run_by_hand(
    const JobRunner::Dependencies& use,
    const JobRunner::Rules& rules,
    std::string_view id,
    schema::Duration lock_time,
    schema::ExclusiveOver over = schema::ExclusiveOver::instance
);

/// Why a job cannot be run by hand, as far as can be told without locking it.
enum class RunObstacle {
    none,
    stands_elsewhere,  ///< Only executable jobs are run.
    unknown_type,      ///< There is no handler for it here.
    lacks_need,        ///< There is one, which lacks what the job needs.
};

[[nodiscard]] RunObstacle
obstacle_to_run(const schema::PlacedJob& placed, const HandlerRegistry& handlers);

}  // namespace jobstrand::executor
