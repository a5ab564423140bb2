#pragma once

#include "executor/handler_registry.hpp"
#include "executor/job_runner.hpp"
#include "persistence/job_store.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace jobstrand::executor {

/// What came of running one job by hand.
struct ManualRunResult {
    persistence::Answer answer =
        persistence::Answer::not_found;  ///< done: it was run; see transition.
    std::optional<schema::Transition>
        transition;  ///< nullopt although done: a transactional success.
};

/// Runs one executable job now, in the calling thread, without an executor (R006): locks it as any
/// node would (a locked job is refused), renews the lock while it runs, and writes the outcome like
/// any other.
///
/// Throws DbError. The answer is lost_lock when the lock was lost during the run.
[[nodiscard]] ManualRunResult run_by_hand(
    const JobRunner::Dependencies& use,
    const schema::RetryPolicy& policy,
    std::string_view id,
    schema::Duration lock_time
);

/// Why a job cannot be run by hand, as far as can be told without locking it.
enum class RunObstacle {
    none,
    stands_elsewhere,  ///< Only executable jobs are run.
    unknown_type,      ///< There is no handler for it here.
};

[[nodiscard]] RunObstacle
obstacle_to_run(const schema::PlacedJob& placed, const HandlerRegistry& handlers);

}  // namespace jobstrand::executor
