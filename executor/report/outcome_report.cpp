#include "executor/report/outcome_report.hpp"

#include "executor/report/attempt_trace.hpp"
#include "schema/text/time_text.hpp"
#include "schema/text/utf8.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

namespace jobstrand::executor {

using persistence::Outcome;
using schema::LogLevel;
using schema::TransitionReason;

namespace {

constexpr std::chrono::seconds kSecond{1};

}  // namespace

bool LineBudget::allows(schema::SteadyPoint now) {
    if (!second_ || now >= *second_ + kSecond) {
        second_ = now;
        written_ = 0;
    }
    if (written_ < most_) {
        ++written_;
        return true;
    }
    ++left_out_;
    return false;
}

std::int64_t LineBudget::take_left_out(schema::SteadyPoint now) {
    const auto next = next_count();
    return next && now >= *next ? std::exchange(left_out_, 0) : 0;
}

std::optional<schema::SteadyPoint> LineBudget::next_count() const {
    return left_out_ == 0 ? std::nullopt : std::optional(*second_ + kSecond);
}

namespace {

/// Of a message; all of it is with the job.
constexpr std::size_t kShownCharacters = 500;

bool is_dead(const Outcome& outcome) {
    return outcome.transition.to == schema::JobPlace::dead_letter;
}

std::string_view sentence_for(const Outcome& outcome) {
    if (outcome.transition.reason == TransitionReason::crash_loop) {
        return "a job ends every process that runs it; it is a dead letter now";
    }
    return is_dead(outcome) ? "a job failed for good; it is a dead letter now"
                            : "a job failed; it is tried again";
}

/// Attempts that the job has in all, as far as that is known now.
int attempts_of(const Outcome& outcome) {
    const schema::Transition& to = outcome.transition;
    const int left = to.reason == TransitionReason::retry           ? to.retries
                     : to.reason == TransitionReason::not_retryable ? outcome.job->retries - 1
                                                                    : 0;
    return to.attempts + std::max(left, 0);
}

std::string next_try_of(const Outcome& outcome) {
    const auto& due = outcome.transition.due_date;
    return is_dead(outcome) || !due ? "none" : schema::format_instant(*due);
}

}  // namespace

void FailureLog::write(const Outcome& outcome) {
    if (!outcome.transition.failure) {
        return;
    }
    const bool dead = is_dead(outcome);
    if (!log_.enabled(dead ? LogLevel::error : LogLevel::warn)) {
        return;
    }
    const schema::SteadyPoint now = clock_.steady_now();
    Counts& counts = by_type_[outcome.job->handler_type];
    if ((dead ? counts.dead_letters : counts.attempts).allows(now)) {
        write_line(outcome, dead);
    }
}

void FailureLog::write_line(const Outcome& outcome, bool dead) {
    const schema::Job& job = *outcome.job;
    log_.write(
        dead ? LogLevel::error : LogLevel::warn,
        sentence_for(outcome),
        {{"job", job.id},
         {"handler_type", job.handler_type},
         {"instance", job.process_instance_id},
         {"trace_id", trace_id_of(job)},
         {"attempt", outcome.transition.attempts},
         {"attempts", attempts_of(outcome)},
         {"reason", std::string(schema::name_of(outcome.transition.reason))},
         {"error", schema::first_characters(outcome.transition.failure->message, kShownCharacters)},
         {"duration_ms", outcome.duration.value_or(schema::Duration{0}).count()},
         {"next_try", next_try_of(outcome)}}
    );
}

std::optional<schema::SteadyPoint> FailureLog::write_counts() {
    return write_counts(clock_.steady_now());
}

void FailureLog::write_all_counts() {
    (void)write_counts(schema::SteadyPoint::max());
}

std::optional<schema::SteadyPoint> FailureLog::write_counts(schema::SteadyPoint now) {
    std::optional<schema::SteadyPoint> next;
    for (auto& [type, counts] : by_type_) {
        const auto say = [&, &name = type](LineBudget& budget, LogLevel level, const char* what) {
            if (const std::int64_t more = budget.take_left_out(now); more > 0) {
                log_.write(level, what, {{"handler_type", name}, {"jobs", more}});
            }
            if (const auto at = budget.next_count()) {
                next = std::min(next.value_or(*at), *at);
            }
        };
        say(counts.attempts, LogLevel::warn, "more jobs failed; they are tried again");
        say(counts.dead_letters, LogLevel::error, "more jobs failed for good; they are dead letters"
        );
    }
    return next;
}

namespace {

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
