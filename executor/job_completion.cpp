#include "executor/job_completion.hpp"

#include "persistence/sql/db_error.hpp"
#include "schema/limits.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

namespace jobstrand::executor {

using persistence::DbError;
using persistence::DbErrorKind;
using persistence::Outcome;
using persistence::OutcomeAnswer;
using schema::limits::kJobsPerTransaction;

namespace {

/// Up to what a transaction takes.
void move_first(std::deque<Outcome>& from, std::vector<Outcome>& batch) {
    const std::size_t count = std::min(kJobsPerTransaction - batch.size(), from.size());
    const auto end = from.begin() + static_cast<std::ptrdiff_t>(count);
    std::move(from.begin(), end, std::back_inserter(batch));
    from.erase(from.begin(), end);
}

}  // namespace

void OutcomeMailbox::add(Outcome outcome) {
    bool is_first = false;
    bool is_full = false;
    {
        const std::lock_guard lock(mutex_);
        is_first = waiting() == 0;
        waiting_.push_back(std::move(outcome));
        is_full = waiting_.size() == kJobsPerTransaction;
        ++unwritten_;
    }
    if (is_first) {
        wake_ups_.outcomes_wait();
    }
    if (is_full) {
        wake_ups_.outcomes_pile_up();
    }
}

void OutcomeMailbox::add_in_order(Outcome outcome) {
    bool is_first = false;
    {
        const std::lock_guard lock(mutex_);
        is_first = waiting() == 0;
        in_order_.push_back(std::move(outcome));
        ++unwritten_;
    }
    if (is_first) {
        wake_ups_.outcomes_wait();
    }
}

void OutcomeMailbox::add_written(Outcome outcome) {
    {
        const std::lock_guard lock(mutex_);
        ended_.written.push_back(std::move(outcome));
    }
    wake_ups_.outcomes_wait();
}

void OutcomeMailbox::forget(HeldJobPtr held) {
    {
        const std::lock_guard lock(mutex_);
        ended_.forgotten.push_back(std::move(held));
    }
    wake_ups_.outcomes_wait();
}

void OutcomeMailbox::take(std::vector<Outcome>& batch) {
    const std::lock_guard lock(mutex_);
    move_first(in_order_, batch);
    move_first(waiting_, batch);
}

void OutcomeMailbox::take_whole(std::vector<Outcome>& batch) {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() >= kJobsPerTransaction) {
        move_first(waiting_, batch);
    }
}

OutcomeMailbox::Ended OutcomeMailbox::take_ended() {
    const std::lock_guard lock(mutex_);
    return std::exchange(ended_, {});
}

void OutcomeMailbox::were_written(std::size_t count) {
    const std::lock_guard lock(mutex_);
    unwritten_ -= count;
}

bool OutcomeMailbox::is_empty() const {
    const std::lock_guard lock(mutex_);
    return waiting() == 0;
}

bool OutcomeMailbox::is_all_written() const {
    const std::lock_guard lock(mutex_);
    return unwritten_ == 0;
}

namespace {

constexpr schema::Duration kFirstPause = std::chrono::seconds(1);
constexpr schema::Duration kLongestPause = std::chrono::minutes(1);

}  // namespace

bool RefusedOutcomes::add(Outcome outcome, std::string_view group, schema::SteadyPoint now) {
    const auto [entry, is_new] = refused_.try_emplace(outcome.job->id);
    Refused& refused = entry->second;
    refused.handler_type = outcome.job->handler_type;
    refused.group = group;
    refused.wait = is_new ? kFirstPause : std::min(2 * refused.wait, kLongestPause);
    refused.next = now + refused.wait;
    refused.outcome = std::move(outcome);
    return is_new;
}

bool RefusedOutcomes::add_behind(Outcome& outcome, std::string_view group) {
    const auto in_front = std::ranges::find_if(refused_, [group](const auto& entry) {
        return entry.second.outcome && entry.second.group == group;
    });
    // What has not run keeps nobody's order.
    if (group.empty() || in_front == refused_.end() ||
        outcome.transition.reason == schema::TransitionReason::released) {
        return false;
    }
    in_front->second.behind.push_back(std::move(outcome));
    return true;
}

std::vector<Outcome> RefusedOutcomes::take_due(schema::SteadyPoint now) {
    std::vector<Outcome> due;
    for (auto& [id, refused] : refused_) {
        if (refused.outcome && refused.next <= now) {
            due.push_back(*std::exchange(refused.outcome, std::nullopt));
            std::ranges::move(std::exchange(refused.behind, {}), std::back_inserter(due));
        }
    }
    return due;
}

void RefusedOutcomes::make_all_due() {
    for (auto& [id, refused] : refused_) {
        refused.next = {};
    }
}

std::optional<schema::SteadyPoint> RefusedOutcomes::next() const {
    std::optional<schema::SteadyPoint> next;
    for (const auto& [id, refused] : refused_) {
        if (refused.outcome) {
            next = std::min(next.value_or(refused.next), refused.next);
        }
    }
    return next;
}

void RefusedOutcomes::forget(const std::string& job) {
    // One that still waits is of an earlier run of the job.
    if (const auto found = refused_.find(job); found != refused_.end() && !found->second.outcome) {
        refused_.erase(found);
    }
}

std::set<std::string> RefusedOutcomes::types() const {
    std::set<std::string> types;
    for (const auto& [id, refused] : refused_) {
        types.insert(refused.handler_type);
    }
    return types;
}

namespace {

/// Between two tries to write the last outcomes.
constexpr schema::Duration kTryAgainWait = std::chrono::milliseconds(20);

/// Whether the database refuses this very change; everything else is trouble that passes.
bool is_refusal(DbErrorKind kind) {
    return kind == DbErrorKind::too_long || kind == DbErrorKind::duplicate_key ||
           kind == DbErrorKind::access_denied || kind == DbErrorKind::other;
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
    try_refused_again();
    mailbox_.take(first_.outcomes);  // What a failed pass could not write comes first.
    if (!first_.outcomes.empty()) {
        write(first_);
    }
    return mailbox_.is_empty() ? until_next_pass() : schema::Duration{0};
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
    hold_back_behind_refused(batch);
    if (batch.outcomes.empty()) {
        return;
    }
    const schema::SteadyPoint began = use_.clock.steady_now();
    try {
        const std::vector<OutcomeAnswer> answers = use_.store.apply(lock_owner_, batch.outcomes);
        for (std::size_t i = 0; i < answers.size(); ++i) {
            on_answer(batch, batch.outcomes[i], answers[i]);
        }
        log_ended(batch.outcomes, answers);
    } catch (const DbError& error) {
        // One outcome that the database does not take must not hold up the others.
        if (!is_refusal(error.kind())) {
            throw;
        }
        write_one_by_one(batch);
    }
    forget_refused(batch.outcomes);
    report_.times.add(use_.clock.steady_now() - began);
    report_.sizes.add(batch.outcomes.size());
    report_.run_counts.add(batch.outcomes);
    report_.throughput.ended(batch.outcomes, batch.lost, use_.clock.now());
    batch.lost.clear();
    use_.held.remove_all_of(batch.outcomes);
    log_room();
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
        log_ended({&outcome, 1}, std::array{OutcomeAnswer::done});
    }
    report_.run_counts.add(ended.written);
    report_.throughput.ended(ended.written, {}, use_.clock.now());
    tell_of(ended.written);
    if (!ended.forgotten.empty()) {
        log_room();
    }
}

void JobCompletion::write_one_by_one(Batch& batch) {
    std::vector<Outcome> all = std::exchange(batch.outcomes, {});
    auto next = all.begin();
    // Defended catch: whatever goes wrong, what is not written yet stays.
    try {
        for (; next != all.end(); ++next) {
            if (!waits_behind_refused(*next) && write_one(batch, *next)) {
                batch.outcomes.push_back(std::move(*next));
            }
        }
    } catch (...) {
        // Those already written answer lost_lock next time, which is harmless.
        std::move(next, all.end(), std::back_inserter(batch.outcomes));
        throw;
    }
}

bool JobCompletion::write_one(Batch& batch, Outcome& outcome) {
    const std::span<const Outcome> one(&outcome, 1);
    try {
        const std::vector<OutcomeAnswer> answers = use_.store.apply(lock_owner_, one);
        on_answer(batch, outcome, answers.front());
        log_ended(one, answers);
    } catch (const DbError& error) {
        if (!is_refusal(error.kind())) {
            throw;
        }
        keep(std::move(outcome), error);
        return false;
    }
    forget_refused(one);
    return true;
}

void JobCompletion::hold_back_behind_refused(Batch& batch) {
    {
        const std::lock_guard lock(refused_mutex_);
        if (refused_.is_empty()) {
            return;
        }
    }
    std::erase_if(batch.outcomes, [this](Outcome& outcome) {
        return waits_behind_refused(outcome);
    });
}

bool JobCompletion::waits_behind_refused(Outcome& outcome) {
    const std::lock_guard lock(refused_mutex_);
    return refused_.add_behind(outcome, use_.held.group_of(*outcome.job));
}

void JobCompletion::keep(Outcome outcome, const DbError& error) {
    const std::shared_ptr<const schema::Job> job = outcome.job;
    {
        const std::lock_guard lock(refused_mutex_);
        if (!refused_.add(std::move(outcome), use_.held.group_of(*job), use_.clock.steady_now())) {
            return;
        }
    }
    use_.log.write(
        schema::LogLevel::error,
        "the database refuses what became of a job; it is kept and tried again, and no more jobs "
        "of its type are taken here",
        {{"job", job->id}, {"type", job->handler_type}, {"error", error.what()}}
    );
    log_refused_types();
}

void JobCompletion::try_refused_again() {
    if (again_.outcomes.empty()) {
        const std::lock_guard lock(refused_mutex_);
        again_.outcomes = refused_.take_due(use_.clock.steady_now());
    }
    if (!again_.outcomes.empty()) {
        write(again_);
    }
}

void JobCompletion::forget_refused(std::span<const Outcome> written) {
    {
        const std::lock_guard lock(refused_mutex_);
        if (refused_.is_empty()) {
            return;
        }
        for (const Outcome& outcome : written) {
            refused_.forget(outcome.job->id);
        }
    }
    log_refused_types();
}

void JobCompletion::log_refused_types() {
    if (use_.when_refused) {
        const std::lock_guard lock(refused_mutex_);  // Whoever is told last is told the truth.
        std::set<std::string> types = refused_.types();
        if (types != told_types_) {
            told_types_ = types;
            use_.when_refused(std::move(types));
        }
    }
}

void JobCompletion::on_answer(Batch& batch, const Outcome& outcome, OutcomeAnswer answer) {
    if (answer != OutcomeAnswer::lost_lock) {
        report_.stored(outcome);
        return;
    }
    report_.lost(outcome);
    batch.lost.insert(outcome.job.get());
    // Whoever has freed the lock took this process for dead. What was not started counts only if
    // that was all there is to count.
    const bool was_started = outcome.transition.reason != schema::TransitionReason::released;
    if (was_started || outcome.job->lost_starts == 0) {
        batch.ended_starts.push_back(outcome.job->id);
    }
}

void JobCompletion::log_ended(
    std::span<const Outcome> outcomes,
    std::span<const OutcomeAnswer> answers
) const {
    if (use_.last_runs != nullptr) {
        use_.last_runs->add(outcomes, answers, lock_owner_);
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

void JobCompletion::log_room() const {
    if (use_.held.is_room_awaited()) {
        use_.wake_ups.room_became_free();
    }
}

schema::Duration JobCompletion::until_next_pass() {
    std::optional<schema::SteadyPoint> next = report_.write_counts();
    {
        const std::lock_guard lock(refused_mutex_);
        if (const auto again = refused_.next()) {
            next = std::min(next.value_or(*again), *again);
        }
    }
    return next ? std::chrono::ceil<schema::Duration>(*next - use_.clock.steady_now())
                : kUntilWoken;
}

void JobCompletion::write_the_rest(schema::Duration limit) {
    const schema::SteadyPoint give_up = std::chrono::steady_clock::now() + limit;
    {
        const std::lock_guard lock(refused_mutex_);
        refused_.make_all_due();  // What was in the way may have been mended for this restart.
    }
    while (!is_empty()) {
        // Defended catch: a database that is away may come back within the limit.
        try {
            (void)write_beside();
            (void)run_once();
        } catch (const DbError& error) {
            if (std::chrono::steady_clock::now() >= give_up) {
                log_unwritten(error.what());
                return;
            }
            std::this_thread::sleep_for(kTryAgainWait);
            continue;
        }
        const std::lock_guard lock(refused_mutex_);
        if (mailbox_.is_empty() && !refused_.is_empty()) {
            log_unwritten("the database refuses them");
            break;
        }
    }
    take_what_others_wrote();
    report_.write_all_counts();
}

void JobCompletion::log_unwritten(const std::string& why) const {
    use_.log.write(
        schema::LogLevel::error,
        "outcomes of finished jobs could not be written; these jobs will run again",
        {{"error", why}}
    );
}

}  // namespace jobstrand::executor
