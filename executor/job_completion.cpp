#include "executor/job_completion.hpp"

#include "persistence/sql/db_error.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>

namespace jobstrand::executor {

namespace {

using persistence::DbError;
using persistence::DbErrorKind;
using persistence::Outcome;
using persistence::OutcomeAnswer;

/// Between two tries to write the last outcomes.
constexpr schema::Duration kTryAgainWait = std::chrono::milliseconds(20);

/// Whether the database refuses this very data; everything else is trouble that passes.
bool is_about_the_data(DbErrorKind kind) {
    return kind == DbErrorKind::too_long || kind == DbErrorKind::duplicate_key ||
           kind == DbErrorKind::other;
}

/// Whether the next turn of a series was stored with this outcome.
bool carries_series_on(const Outcome& outcome) {
    const auto to = outcome.transition.to;
    return !outcome.job->repeat.empty() && (!to || to == schema::JobPlace::dead_letter);
}

/// When the first timer is due that these have stored; nullopt: they stored none.
std::optional<schema::TimePoint> first_timer_of(std::span<const Outcome> outcomes) {
    std::optional<schema::TimePoint> first;
    for (const Outcome& outcome : outcomes) {
        const schema::Transition& transition = outcome.transition;
        if (transition.to == schema::JobPlace::timer && transition.due_date) {
            first = std::min(first.value_or(*transition.due_date), *transition.due_date);
        } else if (carries_series_on(outcome)) {
            first = schema::kEarliestInstant;  // When the next turn is due, the store knows.
        }
    }
    return first;
}

bool is_unserved(const Outcome& outcome) {
    return outcome.transition.reason == schema::TransitionReason::not_served;
}

}  // namespace

JobCompletion::JobCompletion(Dependencies dependencies, std::string lock_owner)
    : use_(dependencies),
      lock_owner_(std::move(lock_owner)),
      mailbox_(dependencies.wake_ups),
      report_(dependencies.clock, dependencies.log) {}

schema::Duration JobCompletion::run_once() {
    take_what_others_wrote();
    mailbox_.take(first_.outcomes);  // What a failed pass could not write comes first.
    if (!first_.outcomes.empty()) {
        write(first_);
    }
    return mailbox_.is_empty() ? until_next_count() : schema::Duration{0};
}

schema::Duration JobCompletion::write_beside() {
    if (second_.outcomes.empty()) {
        mailbox_.take_whole(second_.outcomes);
    }
    if (second_.outcomes.empty()) {
        return kUntilWoken;
    }
    write(second_);
    return schema::Duration{0};
}

void JobCompletion::write(Batch& batch) {
    const schema::SteadyPoint began = use_.clock.steady_now();
    try {
        const std::vector<OutcomeAnswer> answers = use_.store.apply(lock_owner_, batch.outcomes);
        for (std::size_t i = 0; i < answers.size(); ++i) {
            on_answer(batch, batch.outcomes[i], answers[i]);
        }
    } catch (const DbError& error) {
        // One outcome that the database will never take must not hold up the others.
        if (!is_about_the_data(error.kind())) {
            throw;
        }
        write_one_by_one(batch);
    }
    report_.times.add(use_.clock.steady_now() - began);
    report_.sizes.add(batch.outcomes.size());
    report_.run_counts.add(batch.outcomes);
    use_.held.remove_all_of(batch.outcomes);
    tell_of_room();
    uncount_lost_starts(batch);
    tell_of(batch.outcomes);
    mailbox_.were_written(batch.outcomes.size());
    batch.outcomes.clear();
}

void JobCompletion::take_what_others_wrote() {
    const OutcomeMailbox::Ended ended = mailbox_.take_ended();
    for (const HeldJobPtr& held : ended.forgotten) {
        use_.held.remove(held->job);
    }
    for (const Outcome& outcome : ended.written) {
        report_.stored(outcome);
    }
    report_.run_counts.add(ended.written);
    tell_of(ended.written);
    if (!ended.forgotten.empty()) {
        tell_of_room();
    }
}

void JobCompletion::write_one_by_one(Batch& batch) {
    for (const Outcome& outcome : batch.outcomes) {
        try {
            const std::span<const Outcome> one(&outcome, 1);
            on_answer(batch, outcome, use_.store.apply(lock_owner_, one).front());
        } catch (const DbError& error) {
            if (!is_about_the_data(error.kind())) {
                throw;  // Those already written answer lost_lock next time, which is harmless.
            }
            use_.log.write(
                schema::LogLevel::error,
                "the outcome of a job cannot be stored; the job runs again when its lock expires",
                {{"job", outcome.job->id}, {"error", error.what()}}
            );
        }
    }
}

void JobCompletion::on_answer(Batch& batch, const Outcome& outcome, OutcomeAnswer answer) {
    if (answer != OutcomeAnswer::lost_lock) {
        report_.stored(outcome);
        return;
    }
    report_.lost(outcome);
    // Whoever has freed the lock took this process for dead. What was not started counts only if
    // that was all there is to count.
    const bool was_started = outcome.transition.reason != schema::TransitionReason::released;
    if (was_started || outcome.job->lost_starts == 0) {
        batch.ended_starts.push_back(outcome.job->id);
    }
}

void JobCompletion::uncount_lost_starts(Batch& batch) {
    const std::vector<std::string> ids = std::exchange(batch.ended_starts, {});
    if (ids.empty()) {
        return;
    }
    // Defended catch: one start too many is no reason to write these outcomes again.
    try {
        use_.store.uncount_starts(ids);
    } catch (const DbError& error) {
        use_.log.write(
            schema::LogLevel::warn,
            "starts that have ended still count as lost",
            {{"jobs", ids.size()}, {"error", error.what()}}
        );
    }
}

void JobCompletion::tell_of(std::span<const Outcome> outcomes) const {
    if (const auto due = first_timer_of(outcomes)) {
        use_.wake_ups.timer_was_stored(*due);
    }
    if (std::ranges::any_of(outcomes, is_unserved)) {
        use_.wake_ups.jobs_are_unserved();
    }
}

void JobCompletion::tell_of_room() const {
    if (use_.held.is_room_awaited()) {
        use_.wake_ups.room_became_free();
    }
}

schema::Duration JobCompletion::until_next_count() {
    const auto next = report_.write_counts();
    return next ? std::chrono::ceil<schema::Duration>(*next - use_.clock.steady_now())
                : kUntilWoken;
}

void JobCompletion::write_the_rest(schema::Duration limit) {
    const schema::SteadyPoint give_up = std::chrono::steady_clock::now() + limit;
    while (!is_empty()) {
        try {
            (void)write_beside();
            (void)run_once();
        } catch (const DbError& error) {
            if (std::chrono::steady_clock::now() >= give_up) {
                use_.log.write(
                    schema::LogLevel::error,
                    "outcomes of finished jobs could not be written; these jobs will run again",
                    {{"error", error.what()}}
                );
                return;
            }
            std::this_thread::sleep_for(kTryAgainWait);
        }
    }
    take_what_others_wrote();
    report_.write_all_counts();
}

}  // namespace jobstrand::executor
