#pragma once

#include <jobstrand/handler.hpp>
#include <jobstrand/time.hpp>

#include <functional>
#include <optional>

namespace jobstrand {

/// What a rule of the app says about a failed attempt.
struct RetryDecision {
    enum class What {
        as_usual,  ///< What the handler, the job's retry cycle and RetryOptions say.
        retry,     ///< As long as retries are left, whatever the handler says.
        give_up,   ///< Straight to the dead letters.
    };

    What what = What::as_usual;
    /// With `retry`: the wait, up to 366 days; nullopt: the usual one.
    std::optional<Duration> wait = {};
};

/// The app's own rule for attempts that have failed here: see EngineOptions::retry_rule. It cannot
/// give a job more retries than it has. Called on worker threads, several at once; one that throws
/// says `as_usual`, and is logged. The job is borrowed until it returns.
using RetryRule =
    std::function<RetryDecision(const RunningJob& job, int attempt, const Failed& failure)>;

}  // namespace jobstrand
