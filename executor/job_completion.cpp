#include "executor/job_completion.hpp"

#include "executor/report/attempt_trace.hpp"
#include "persistence/sql/db_error.hpp"
#include "schema/limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
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

JobCompletion::JobCompletion(Dependencies dependencies, std::string lock_owner)
    : use_(dependencies),
      lock_owner_(std::move(lock_owner)),
      failures_(dependencies.clock, dependencies.log) {}

void JobCompletion::add(Outcome outcome) {
    bool is_first = false;
    {
        const std::lock_guard lock(mutex_);
        is_first = mailbox_.empty();
        mailbox_.push_back(std::move(outcome));
        ++unwritten_;
    }
    if (is_first) {
        use_.wake_ups.outcomes_wait();
    }
}

void JobCompletion::add_written(Outcome outcome) {
    {
        const std::lock_guard lock(mutex_);
        written_.push_back(std::move(outcome));
    }
    use_.wake_ups.outcomes_wait();
}

void JobCompletion::forget(HeldJobPtr held) {
    {
        const std::lock_guard lock(mutex_);
        forgotten_.push_back(std::move(held));
    }
    use_.wake_ups.outcomes_wait();
}

bool JobCompletion::is_empty() const {
    const std::lock_guard lock(mutex_);
    return unwritten_ == 0;
}

schema::Duration JobCompletion::run_once() {
    fetch_what_others_wrote();
    fetch_mail();
    if (writing_.empty()) {
        return until_next_count();
    }
    const schema::SteadyPoint began = use_.clock.steady_now();
    try {
        const std::vector<OutcomeAnswer> answers = use_.store.apply(lock_owner_, writing_);
        for (std::size_t i = 0; i < writing_.size(); ++i) {
            on_answer(writing_[i], answers[i]);
        }
    } catch (const DbError& error) {
        // One outcome that the database will never take must not hold up the others.
        if (!is_about_the_data(error.kind())) {
            throw;
        }
        write_one_by_one();
    }
    times_.add(use_.clock.steady_now() - began);
    sizes_.add(writing_.size());
    run_counts_.add(writing_);
    use_.held.remove_all_of(writing_);
    if (use_.held.is_room_awaited()) {
        use_.wake_ups.room_became_free();
    }
    uncount_lost_starts();
    tell_of_timers(writing_);
    tell_of_unserved();
    const std::size_t written = writing_.size();
    writing_.clear();
    return after_writing(written);
}

// What a failed pass could not write comes first.
void JobCompletion::fetch_mail() {
    const std::lock_guard lock(mutex_);
    const std::size_t room = schema::limits::kJobsPerTransaction - writing_.size();
    const auto count = static_cast<std::ptrdiff_t>(std::min(room, mailbox_.size()));
    const auto end = mailbox_.begin() + count;
    std::move(mailbox_.begin(), end, std::back_inserter(writing_));
    mailbox_.erase(mailbox_.begin(), end);
}

void JobCompletion::fetch_what_others_wrote() {
    std::vector<Outcome> written;
    std::vector<HeldJobPtr> forgotten;
    {
        const std::lock_guard lock(mutex_);
        written.swap(written_);
        forgotten.swap(forgotten_);
    }
    for (const HeldJobPtr& held : forgotten) {
        use_.held.remove(held->job);
    }
    for (const Outcome& outcome : written) {
        on_answer(outcome, OutcomeAnswer::done);
    }
    run_counts_.add(written);
    tell_of_timers(written);
    if (!forgotten.empty() && use_.held.is_room_awaited()) {
        use_.wake_ups.room_became_free();
    }
}

void JobCompletion::write_one_by_one() {
    for (const Outcome& outcome : writing_) {
        try {
            on_answer(outcome, use_.store.apply(lock_owner_, std::span(&outcome, 1)).front());
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

void JobCompletion::tell_of_timers(std::span<const Outcome> outcomes) const {
    std::optional<schema::TimePoint> first;
    for (const Outcome& outcome : outcomes) {
        const schema::Transition& transition = outcome.transition;
        if (transition.to == schema::JobPlace::timer && transition.due_date) {
            first = std::min(first.value_or(*transition.due_date), *transition.due_date);
        } else if (carries_series_on(outcome)) {
            first = schema::kEarliestInstant;  // When the next turn is due, the store knows.
        }
    }
    if (first) {
        use_.wake_ups.timer_was_stored(*first);
    }
}

void JobCompletion::tell_of_unserved() const {
    const bool is_any = std::ranges::any_of(writing_, [](const Outcome& outcome) {
        return outcome.transition.reason == schema::TransitionReason::not_served;
    });
    if (is_any) {
        use_.wake_ups.jobs_are_unserved();
    }
}

void JobCompletion::on_answer(const Outcome& outcome, OutcomeAnswer answer) {
    const bool is_lost = answer == OutcomeAnswer::lost_lock;
    log_move(outcome, is_lost);
    if (!is_lost) {
        counts_.add(outcome.transition.reason);
        if (is_failure_of_handler(outcome.transition)) {
            classes_.add(outcome.transition.failure->message);
        }
        failures_.write(outcome);
        return;
    }
    counts_.add_lost();
    // Whoever has freed the lock took this process for dead. What was not started counts only if
    // that was all there is to count.
    const bool was_started = outcome.transition.reason != schema::TransitionReason::released;
    if (was_started || outcome.job->lost_starts == 0) {
        ended_starts_.push_back(outcome.job->id);
    }
}

void JobCompletion::log_move(const Outcome& outcome, bool is_lost) {
    const schema::LogLevel level = is_lost ? schema::LogLevel::info : schema::LogLevel::debug;
    if (!use_.log.enabled(level)) {
        return;
    }
    use_.log.write(
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

void JobCompletion::uncount_lost_starts() {
    const std::vector<std::string> ids = std::exchange(ended_starts_, {});
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

schema::Duration JobCompletion::until_next_count() {
    const auto next = failures_.write_counts();
    return next ? std::chrono::ceil<schema::Duration>(*next - use_.clock.steady_now())
                : kUntilWoken;
}

schema::Duration JobCompletion::after_writing(std::size_t written) {
    {
        const std::lock_guard lock(mutex_);
        unwritten_ -= written;
        if (!mailbox_.empty()) {
            return schema::Duration{0};
        }
    }
    return until_next_count();
}

void JobCompletion::write_the_rest(schema::Duration limit) {
    const schema::SteadyPoint give_up = std::chrono::steady_clock::now() + limit;
    while (!is_empty()) {
        try {
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
    fetch_what_others_wrote();
    failures_.write_all_counts();
}

}  // namespace jobstrand::executor
