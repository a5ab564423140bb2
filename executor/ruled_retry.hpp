#pragma once

#include "executor/job_handler.hpp"
#include "schema/log.hpp"

#include <functional>
#include <optional>

namespace jobstrand::executor {

/// The longest wait that a rule may ask for.
inline constexpr schema::Duration kLongestRuledWait = std::chrono::hours(24 * 366);

/// What a rule of the app says about a failed attempt.
struct RetryDecision {
    enum class What {
        as_usual,  ///< What the handler, the job's retry cycle and the settings say.
        retry,     ///< As long as retries are left, whatever the handler says.
        give_up,   ///< Straight to the dead letters.
    };

    What what = What::as_usual;
    /// With `retry`: the wait, up to kLongestRuledWait; nullopt: the usual one.
    std::optional<schema::Duration> wait = {};
};

/// The app's own rule for failed attempts (R080). It cannot give a job more retries than it has.
/// Called on worker threads, several at once.
using RetryRule =
    std::function<RetryDecision(const schema::Job& job, int attempt, const Failed& failure)>;

/// The result with what the rule makes of it; other results than failures stay as they are. A rule
/// that throws says `as_usual`, and is logged.
[[nodiscard]] HandlerResult
with_rule(const RetryRule& rule, const schema::Job& job, HandlerResult result, schema::Log& log);

}  // namespace jobstrand::executor
