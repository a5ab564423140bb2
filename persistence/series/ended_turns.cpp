#include "persistence/series/ended_turns.hpp"

#include <chrono>
#include <vector>

namespace jobstrand::persistence {

namespace {

using schema::Job;

/// For the creation time of next turns: outcomes do not bring the database's time, and nothing is
/// decided by it.
schema::TimePoint machine_now() {
    return std::chrono::floor<schema::Duration>(std::chrono::system_clock::now());
}

bool is_about_series(const Outcome& outcome) {
    const Job& job = *outcome.job;
    if (is_dead(outcome)) {
        return !job.repeat.empty() || !job.series.empty();
    }
    return !job.repeat.empty() && !outcome.transition.to;
}

}  // namespace

bool is_dead(const Outcome& outcome) {
    return outcome.transition.to == schema::JobPlace::dead_letter;
}

EndedTurns::EndedTurns(
    Transaction& transaction,
    const StoreContext& context,
    std::span<const Outcome* const> outcomes
) {
    std::vector<const Job*> jobs;
    for (const Outcome* outcome : outcomes) {
        if (is_about_series(*outcome)) {
            jobs.push_back(outcome->job.get());
        }
    }
    if (!jobs.empty()) {
        turns_.emplace(transaction, context, jobs, machine_now());
    }
}

void EndedTurns::completed(const Outcome& outcome) {
    if (turns_ && !outcome.job->repeat.empty()) {
        Job turn = *outcome.job;
        turns_->run_ended(turn, outcome.transition.payload);
    }
}

void EndedTurns::died(Job& row) {
    if (turns_) {
        turns_->died(row);
    }
}

void EndedTurns::write() {
    if (turns_) {
        turns_->write();
    }
}

}  // namespace jobstrand::persistence
