#include "schema/job_transition.hpp"

#include "schema/ensure.hpp"
#include "schema/limits.hpp"
#include "schema/text/utf8.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace jobstrand::schema {
namespace {

/// A move that keeps what the job has.
Transition move_to(std::optional<JobPlace> to, TransitionReason reason, const Job& job) {
    Transition transition{.to = to, .reason = reason};
    transition.due_date = job.due_date;
    transition.retries = job.retries;
    transition.attempts = job.attempts;
    return transition;
}

/// The same to the dead letters, at `now`.
Transition to_dead_letters(TransitionReason reason, const Job& job, TimePoint now) {
    Transition transition = move_to(JobPlace::dead_letter, reason, job);
    transition.failed_time = now;
    return transition;
}

JobPlace place_to_run(const Job& job) {
    return job.type == kExternalWorkerType ? JobPlace::external_worker : JobPlace::executable;
}

/// Never in the past, and never beyond what the columns hold, whatever the wait.
TimePoint after(TimePoint now, Duration wait) {
    const Duration longest = kLatestInstant - now;
    return now + std::clamp(wait, Duration::zero(), std::max(longest, Duration::zero()));
}

TimePoint after(TimePoint now, const IsoDuration& wait) {
    return std::min(now + wait, std::max(kLatestInstant, now));
}

constexpr std::size_t kQuotedCharacters = 64;

/// The retry cycle that counts for a job, if any, and what to say when its own cannot be read.
struct ApplicableCycle {
    std::optional<RetryCycle> cycle;
    std::string complaint;
};

ApplicableCycle applicable_cycle(const Job& job, const RetryPolicy& policy) {
    if (job.retry_cycle.empty()) {
        return {policy.cycle, ""};
    }
    const auto own = parse_retry_cycle(job.retry_cycle);
    if (own) {
        return {own.value(), ""};
    }
    return {
        policy.cycle,
        " (its retry cycle '" + first_characters(job.retry_cycle, kQuotedCharacters) +
            "' is ignored: " + own.error().message + " at position " +
            std::to_string(own.error().position) + ")"};
}

/// At the cost of the message's end, not of the complaint.
void append_within_limit(std::string& message, std::string_view complaint) {
    if (!complaint.empty()) {
        const std::size_t room = limits::kExceptionMessageLength - complaint.size();
        message = first_characters(message, room).append(complaint);
    }
}

/// Attempts left before this failure is counted.
int retries_before(
    const Job& job,
    const std::optional<RetryCycle>& cycle,
    const RetryPolicy& policy
) {
    const bool first_failure = job.attempts == 0;
    const bool set_explicitly = job.retries != policy.default_attempts;
    return cycle && first_failure && !set_explicitly ? cycle->attempts : job.retries;
}

TimePoint next_due(
    const Job& job,
    const JobFailure& failure,
    const std::optional<RetryCycle>& cycle,
    int retries,
    const RetryPolicy& policy,
    TimePoint now
) {
    if (failure.retry_after) {
        return after(now, *failure.retry_after);
    }
    if (cycle) {
        return after(now, wait_after_failure(*cycle, retries));
    }
    return after(now, job.type == kTimerType ? policy.timer_wait : policy.message_wait);
}

}  // namespace

std::string_view name_of(TransitionReason reason) {
    switch (reason) {
        case TransitionReason::completed:
            return "completed";
        case TransitionReason::handed_on:
            return "handed_on";
        case TransitionReason::retry:
            return "retry";
        case TransitionReason::retries_exhausted:
            return "retries_exhausted";
        case TransitionReason::not_retryable:
            return "not_retryable";
        case TransitionReason::crash_loop:
            return "crash_loop";
        case TransitionReason::cancelled:
            return "cancelled";
        case TransitionReason::given_up:
            return "given_up";
        case TransitionReason::released:
            return "released";
        case TransitionReason::not_served:
            return "not_served";
        case TransitionReason::interrupted:
            return "interrupted";
        case TransitionReason::let_go:
            return "let_go";
        case TransitionReason::fell_due:
            return "fell_due";
        case TransitionReason::fired:
            return "fired";
        case TransitionReason::postponed:
            return "postponed";
        case TransitionReason::suspended:
            return "suspended";
        case TransitionReason::activated:
            return "activated";
        case TransitionReason::requeued:
            return "requeued";
        case TransitionReason::removed:
            return "removed";
        case TransitionReason::id_taken:
            return "id_taken";
        case TransitionReason::unreadable:
            return "unreadable";
    }
    return {};
}

Transition completed(const Job& job, std::optional<std::string> payload) {
    Transition transition = move_to(std::nullopt, TransitionReason::completed, job);
    transition.payload = std::move(payload);
    return transition;
}

Transition handed_on(const Job& job, std::string outcome, int retries) {
    Transition transition = move_to(JobPlace::executable, TransitionReason::handed_on, job);
    transition.due_date.reset();
    transition.retries = retries;
    transition.attempts = 0;
    transition.failure = JobFailure{};
    transition.outcome = std::move(outcome);
    return transition;
}

Transition
failed(const Job& job, const JobFailure& failure, const RetryPolicy& policy, TimePoint now) {
    const auto [cycle, complaint] = applicable_cycle(job, policy);
    const int retries =
        failure.retries_left ? *failure.retries_left + 1 : retries_before(job, cycle, policy);

    Transition transition = to_dead_letters(TransitionReason::not_retryable, job, now);
    transition.retries = 0;
    transition.attempts = job.attempts + 1;
    transition.failure = failure;
    append_within_limit(transition.failure->message, complaint);
    if (!failure.retryable) {
        return transition;
    }
    if (retries <= 1) {
        transition.reason = TransitionReason::retries_exhausted;
    } else {
        transition.to = JobPlace::timer;
        transition.failed_time.reset();
        transition.reason = TransitionReason::retry;
        transition.retries = retries - 1;
    }
    // As in Camunda 7, a cycle moves the due date after the last failure too.
    if (transition.to == JobPlace::timer || cycle) {
        transition.due_date = next_due(job, failure, cycle, retries, policy, now);
    }
    return transition;
}

Transition released(const Job& job) {
    return move_to(JobPlace::executable, TransitionReason::released, job);
}

Transition given_back(const Job& job, TimePoint now) {
    const bool is_due_timer = job.due_date && *job.due_date <= now && job.lost_starts == 0;
    return is_due_timer ? move_to(JobPlace::timer, TransitionReason::released, job) : released(job);
}

Transition not_served(const Job& job, std::string needs) {
    Transition transition = move_to(JobPlace::executable, TransitionReason::not_served, job);
    transition.needs = std::move(needs);
    return transition;
}

Transition crash_loop(const Job& job, TimePoint now) {
    Transition transition = to_dead_letters(TransitionReason::crash_loop, job, now);
    transition.retries = 0;
    transition.failure = JobFailure{
        .message = "the process that held it ended " + std::to_string(job.lost_starts) +
                   " times in a row without an outcome, the last time while it ran and no other "
                   "suspected job did: it is not started again",
        .retryable = false,
    };
    return transition;
}

Transition cancelled(const Job& job, std::string message, TimePoint now) {
    Transition transition = to_dead_letters(TransitionReason::cancelled, job, now);
    transition.retries = 0;
    transition.failure = cut_to_limits({.message = std::move(message), .retryable = false});
    return transition;
}

Transition given_up(const Job& job, TimePoint now) {
    Transition transition = to_dead_letters(TransitionReason::given_up, job, now);
    transition.retries = 0;
    if (job.exception_message.empty() && job.exception_stack_id.empty()) {
        transition.failure = JobFailure{.message = "its retries were set to 0", .retryable = false};
    }
    return transition;
}

Transition interrupted(const Job& job, Duration wait, TimePoint now) {
    Transition transition = move_to(JobPlace::timer, TransitionReason::interrupted, job);
    transition.due_date = after(now, wait);
    return transition;
}

Transition let_go(const Job& job) {
    return move_to(std::nullopt, TransitionReason::let_go, job);
}

Transition fell_due(const Job& job) {
    return move_to(place_to_run(job), TransitionReason::fell_due, job);
}

Transition fired(const Job& job) {
    return move_to(place_to_run(job), TransitionReason::fired, job);
}

Transition postponed(const Job& job, TimePoint due_date) {
    Transition transition = move_to(JobPlace::timer, TransitionReason::postponed, job);
    transition.due_date = due_date;
    return transition;
}

Transition suspended(const Job& job, JobPlace from) {
    JOBSTRAND_ENSURE(can_be_suspended(from));
    Transition transition = move_to(JobPlace::suspended, TransitionReason::suspended, job);
    transition.suspended_from = name_of(from);
    return transition;
}

Transition activated(const Job& job) {
    const auto from = place_named(job.suspended_from);
    if (from && can_be_suspended(*from)) {
        return move_to(*from, TransitionReason::activated, job);
    }
    const JobPlace to = job.type == kTimerType ? JobPlace::timer : place_to_run(job);
    return move_to(to, TransitionReason::activated, job);
}

std::optional<Transition>
with_suspension(const Job& job, Transition transition, bool is_suspended) {
    const TransitionReason reason = transition.reason;
    if ((reason == TransitionReason::suspended && !is_suspended) ||
        (reason == TransitionReason::activated && is_suspended)) {
        return std::nullopt;
    }
    if (reason == TransitionReason::fell_due && is_suspended && !job.repeat.empty()) {
        return suspended(job, JobPlace::timer);
    }
    return transition;
}

Transition removed(const Job& job) {
    return move_to(std::nullopt, TransitionReason::removed, job);
}

Transition id_taken(const Job& job, JobPlace bound_for, TimePoint now) {
    Transition transition = to_dead_letters(TransitionReason::id_taken, job, now);
    std::string message = "another job with this id stands in " + std::string(table_of(bound_for));
    if (!job.exception_message.empty()) {
        message += "; " + job.exception_message;
    }
    transition.failure = JobFailure{
        .message = first_characters(message, limits::kExceptionMessageLength),
        .retryable = false,
    };
    return transition;
}

Transition unreadable(const Job& job, TimePoint now) {
    return to_dead_letters(TransitionReason::unreadable, job, now);
}

Transition requeued(const Job& job, int retries, std::optional<TimePoint> due_date, TimePoint now) {
    JOBSTRAND_ENSURE(retries >= 1);
    const bool waits = due_date && *due_date > now;
    Transition transition =
        move_to(waits ? JobPlace::timer : place_to_run(job), TransitionReason::requeued, job);
    transition.retries = retries;
    transition.due_date = due_date.value_or(now);
    return transition;
}

}  // namespace jobstrand::schema
