#include "persistence/series/move_pipeline.hpp"

#include "persistence/history/history_book.hpp"
#include "persistence/rows/byte_arrays.hpp"
#include "persistence/rows/engine_columns.hpp"
#include "persistence/rows/job_rows.hpp"
#include "persistence/rows/key_rows.hpp"
#include "persistence/rows/move_jobs.hpp"
#include "persistence/rows/new_dead_letters.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/sql_values.hpp"
#include "schema/series_transition.hpp"

#include <algorithm>
#include <string_view>

namespace jobstrand::persistence {

namespace {

using schema::Job;
using schema::JobPlace;
using schema::PlacedJob;
using schema::Transition;
using schema::TurnOutcome;

/// Where tables are shared with an engine, a row of ours has other columns than its job, and on
/// SQLite a column may hold what reads as something else.
bool are_rows_as_read(const Dialect& dialect) {
    return !dialect.has_engine && !dialect.has_texts_for_times;
}

/// Whether a suspension can change where a job with this transition goes.
bool asks_for_suspensions(const Transition& transition) {
    return transition.to &&
           (schema::can_be_suspended(*transition.to) || transition.to == JobPlace::suspended);
}

bool is_by_operator(const Transition& transition) {
    return transition.reason == schema::TransitionReason::suspended ||
           transition.reason == schema::TransitionReason::activated;
}

SuspendedScopes find_suspended_among(
    Transaction& transaction,
    JobPlace from,
    std::span<const Job> rows,
    std::span<const Transition> transitions
) {
    std::vector<const Job*> candidates;
    candidates.reserve(rows.size());
    const bool may_have_run = from == JobPlace::executable || from == JobPlace::external_worker;
    auto when = may_have_run ? SuspensionMoment::change : SuspensionMoment::move;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (asks_for_suspensions(transitions[i])) {
            candidates.push_back(&rows[i]);
        }
        if (is_by_operator(transitions[i])) {
            when = SuspensionMoment::change;
        }
    }
    return find_suspended(transaction, candidates, when);
}

}  // namespace

MovePipeline::MovePipeline(
    Transaction& transaction,
    const StoreContext& context,
    JobPlace from,
    schema::TimePoint now
)
    : transaction_(transaction),
      context_(context),
      from_(from),
      now_(now),
      turns_(transaction, context, now),
      log_(context.history) {}

void MovePipeline::add_deleted(Job turn, Transition transition) {
    if (schema::concerns_series(turn, transition.reason)) {
        deleted_turns_.emplace_back(std::move(turn), std::move(transition));
    }
}

void MovePipeline::recall_series_of(std::vector<Job>& rows) {
    std::vector<Job*> jobs;
    for (Job& row : rows) {
        jobs.push_back(&row);
    }
    for (auto& [turn, transition] : deleted_turns_) {
        jobs.push_back(&turn);
    }
    recall_series(transaction_, jobs);
}

void MovePipeline::decide(std::vector<Job> rows, std::vector<Transition> transitions) {
    if (transaction_.dialect().has_engine) {
        recall_series_of(rows);
    }
    const SuspendedScopes suspended = find_suspended_among(transaction_, from_, rows, transitions);
    Transitions decided;
    decided.reserve(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const bool is_suspended = suspended.contain(rows[i]);
        decided.push_back(with_suspension(rows[i], std::move(transitions[i]), is_suspended));
    }
    series_for_update_of(rows, decided);
    for (auto& [turn, transition] : deleted_turns_) {
        if (is_turn(turn, transition)) {
            (void)turns_.take(turn, transition);  // Its row is gone.
        }
    }
    leaving_.reserve(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (decided[i]) {
            settle(std::move(rows[i]), std::move(*decided[i]), suspended);
        }
    }
}

void MovePipeline::decide(std::vector<Job> rows, const TransitionOf& transition_of) {
    std::vector<Transition> transitions;
    transitions.reserve(rows.size());
    for (const Job& row : rows) {
        transitions.push_back(transition_of(row));
    }
    decide(std::move(rows), std::move(transitions));
}

void MovePipeline::series_for_update_of(std::span<const Job> rows, const Transitions& transitions) {
    std::vector<const Job*> turns;
    for (const auto& [turn, transition] : deleted_turns_) {
        if (is_turn(turn, transition)) {
            turns.push_back(&turn);
        }
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (transitions[i] && is_turn(rows[i], *transitions[i])) {
            turns.push_back(&rows[i]);
        }
    }
    turns_.lock(turns);
}

// The engine makes the next turn of its own timers when it runs them.
bool MovePipeline::is_turn(const Job& row, const Transition& transition) const {
    return schema::concerns_series(row, transition.reason) &&
           !(is_of_engine(row, transaction_.dialect()) && row.series.empty());
}

void MovePipeline::settle(Job&& row, Transition&& transition, const SuspendedScopes& suspended) {
    const TurnOutcome outcome =
        is_turn(row, transition) ? turns_.take(row, transition) : TurnOutcome::moves;
    switch (outcome) {
        case TurnOutcome::stays:
            return;
        case TurnOutcome::waits:
            staying_.push_back(std::move(row));
            return;
        case TurnOutcome::over:
        case TurnOutcome::moves:
            break;
    }
    tell(row, transition);
    if (transition.to && outcome == TurnOutcome::moves) {
        leave(std::move(row), std::move(transition), suspended);
    } else {
        over_.push_back(std::move(row));
    }
}

void MovePipeline::leave(Job&& row, Transition&& transition, const SuspendedScopes& suspended) {
    bool is_copy =
        copies_ && are_rows_as_read(transaction_.dialect()) && is_copied_by(row, transition, from_);
    if (transition.due_date) {
        // A wait that ends beyond the last instant of the column ends there: a failure must be
        // storable.
        transition.due_date = std::min(*transition.due_date, transaction_.dialect().latest_time);
    }
    if (transition.failure) {
        replaced_texts_.push_back(std::exchange(row.exception_stack_id, {}));
        if (!transition.failure->details.empty()) {
            row.exception_stack_id = context_.ids.next();
            stack_traces_.push_back(
                {.job = leaving_.size(), .text = std::move(transition.failure->details)}
            );
        }
    }
    if (transition.outcome) {
        replaced_texts_.push_back(std::exchange(row.custom_values_id, {}));
        outcomes_.push_back(leaving_.size());
    }
    const bool dies = transition.to == JobPlace::dead_letter;
    told_.push_back({.reason = transition.reason, .was_to_die = dies, .node = {}});
    if (dies && context_.history.rules().incidents) {
        told_.back().node = row.lock_owner;
    }
    PlacedJob placed = moved(std::move(row), transition);
    if (schema::can_be_suspended(placed.place) && suspended.contain(placed.job)) {
        placed = diverted(std::move(placed));
        is_copy = false;
    }
    leaving_.push_back(std::move(placed));
    are_copies_.push_back(is_copy);
}

std::vector<std::string> MovePipeline::leaving_ids() const {
    std::vector<std::string> ids;
    ids.reserve(leaving_.size());
    for (const PlacedJob& placed : leaving_) {
        ids.push_back(placed.job.id);
    }
    return ids;
}

std::size_t MovePipeline::size() const {
    return leaving_.size() + staying_.size() + over_.size();
}

void MovePipeline::write(DuplicateIds* duplicates) {
    turns_.write();
    insert_stack_traces();
    insert_outcomes();
    if (duplicates != nullptr) {
        divert_duplicates(transaction_, context_, from_, leaving_, *duplicates);
        log_diverted_duplicates(*duplicates);
    }
    const bool are_all_written = duplicates != nullptr && duplicates->are_expected;
    move_rows(transaction_, from_, leaving_, are_all_written ? std::vector<bool>{} : are_copies_);
    delete_replaced_texts();
    write_staying();
    delete_over();
    log_.write(transaction_);
    log_new_dead_letters();
    resolve_incidents();
}

// Without a run that is known of, the row says who held it.
void MovePipeline::tell(const Job& row, const Transition& transition) {
    const auto run = runs_.find(row.id);
    MoveFacts facts = run == runs_.end() ? MoveFacts{.time = now_} : run->second;
    facts.node = row.lock_owner;
    log_.add(row, transition, facts);
}

void MovePipeline::log_diverted_duplicates(const DuplicateIds& duplicates) {
    if (duplicates.diverted.empty()) {
        return;
    }
    for (std::size_t i = 0; i < leaving_.size(); ++i) {
        const Job& job = leaving_[i].job;
        if (leaving_[i].place == JobPlace::dead_letter && !told_[i].was_to_die) {
            told_[i].reason = schema::TransitionReason::id_taken;
            log_.add(
                job,
                schema::JobEvent::dead,
                schema::name_of(told_[i].reason),
                {.time = now_, .message = job.exception_message}
            );
        }
    }
}

void MovePipeline::log_new_dead_letters() {
    std::vector<NewDeadLetter> dead;
    for (std::size_t i = 0; i < leaving_.size(); ++i) {
        if (leaving_[i].place == JobPlace::dead_letter) {
            dead.push_back(
                {.job = &leaving_[i].job,
                 .from = from_,
                 .reason = told_[i].reason,
                 .node = told_[i].node}
            );
        }
    }
    log_dead_letters(transaction_, context_, dead, now_);
}

void MovePipeline::resolve_incidents() {
    if (from_ != JobPlace::dead_letter || !context_.history.rules().incidents) {
        return;
    }
    close_incidents(transaction_, context_.history, ids_of(leaving_), IncidentEnd::requeued, now_);
    close_incidents(transaction_, context_.history, ids_of(over_), IncidentEnd::removed, now_);
}

void MovePipeline::insert_stack_traces() {
    std::vector<ByteArray> arrays;
    for (const StackTrace& trace : stack_traces_) {
        arrays.push_back({.id = leaving_[trace.job].job.exception_stack_id, .text = trace.text});
    }
    insert_byte_arrays(transaction_, kStackTraceName, arrays);
}

void MovePipeline::insert_outcomes() {
    for (const std::size_t job : outcomes_) {
        store_payloads(transaction_, std::span(&leaving_[job].job, 1), context_.ids);
    }
}

void MovePipeline::delete_replaced_texts() {
    if (!replaced_texts_.empty()) {
        delete_byte_arrays(transaction_, {replaced_texts_.begin(), replaced_texts_.end()});
    }
}

void MovePipeline::write_staying() {
    for (Job& row : staying_) {
        ++row.revision;
        update_row(transaction_, from_, row);
    }
}

void MovePipeline::delete_over() {
    if (over_.empty()) {
        return;
    }
    std::vector<const Job*> jobs;
    ExecutionCounts counts(transaction_);
    for (const Job& row : over_) {
        jobs.push_back(&row);
        counts.leaves(from_, row);
    }
    counts.write();
    delete_rows(transaction_, from_, ids_of(jobs));
    delete_byte_arrays_of(transaction_, jobs);
    free_keys_of(transaction_, jobs);
}

}  // namespace jobstrand::persistence
