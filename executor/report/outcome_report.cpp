#include "executor/report/outcome_report.hpp"

#include "executor/report/attempt_trace.hpp"

#include <string>

namespace jobstrand::executor {

namespace {

using persistence::Outcome;

bool is_failure_of_handler(const schema::Transition& transition) {
    using Reason = schema::TransitionReason;
    return transition.failure &&
           (transition.reason == Reason::retry || transition.reason == Reason::retries_exhausted ||
            transition.reason == Reason::not_retryable);
}

std::string target_of(const schema::Transition& transition) {
    return std::string(transition.to ? schema::name_of(*transition.to) : "gone");
}

}  // namespace

void OutcomeReport::stored(const Outcome& outcome) {
    log_move(outcome, false);
    counts.add(outcome.transition.reason);
    if (!outcome.transition.failure) {
        return;
    }
    if (is_failure_of_handler(outcome.transition)) {
        classes.add(outcome.transition.failure->message);
    }
    const std::lock_guard lock(mutex_);
    failures_.write(outcome);
}

void OutcomeReport::lost(const Outcome& outcome) {
    log_move(outcome, true);
    counts.add_lost();
}

void OutcomeReport::log_move(const Outcome& outcome, bool is_lost) {
    const schema::LogLevel level = is_lost ? schema::LogLevel::info : schema::LogLevel::debug;
    if (!log_.enabled(level)) {
        return;
    }
    log_.write(
        level,
        is_lost ? "result discarded: the lock was lost" : "job moved",
        {{"job", outcome.job->id},
         {"from", "executable"},
         {"to", target_of(outcome.transition)},
         {"reason", std::string(schema::name_of(outcome.transition.reason))},
         {"attempt", outcome.job->attempts + 1},
         {"trace_id", trace_id_of(*outcome.job)}}
    );
}

std::optional<schema::SteadyPoint> OutcomeReport::write_counts() {
    const std::lock_guard lock(mutex_);
    return failures_.write_counts();
}

void OutcomeReport::write_all_counts() {
    const std::lock_guard lock(mutex_);
    failures_.write_all_counts();
}

}  // namespace jobstrand::executor
