#include "executor/ruled_retry.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace jobstrand::executor {

namespace {

RetryDecision
decide(const RetryRule& rule, const schema::Job& job, const Failed& failure, schema::Log& log) {
    // Defended catch: a mistake of the rule must not take the job's outcome away.
    try {
        return rule(job, job.attempts + 1, failure);
    } catch (const std::exception& mistake) {
        log.write(
            schema::LogLevel::error,
            "the retry rule threw; the job is tried again as usual",
            {{"job", job.id}, {"error", mistake.what()}}
        );
    } catch (...) {
        log.write(
            schema::LogLevel::error,
            "the retry rule threw; the job is tried again as usual",
            {{"job", job.id}}
        );
    }
    return {};
}

}  // namespace

HandlerResult
with_rule(const RetryRule& rule, const schema::Job& job, HandlerResult result, schema::Log& log) {
    auto* const failure = std::get_if<Failed>(&result);
    if (failure == nullptr || !rule) {
        return result;
    }
    const RetryDecision decision = decide(rule, job, *failure, log);
    switch (decision.what) {
        case RetryDecision::What::as_usual:
            break;
        case RetryDecision::What::retry:
            failure->retryable = true;
            if (decision.wait) {
                failure->retry_after =
                    std::clamp(*decision.wait, schema::Duration{0}, kLongestRuledWait);
            }
            break;
        case RetryDecision::What::give_up:
            failure->retryable = false;
            break;
    }
    return result;
}

}  // namespace jobstrand::executor
